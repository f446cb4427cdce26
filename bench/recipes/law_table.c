// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NO_FORMULA      "?"
#define CHECKED_WAITERS 20

/* A formula is a sum of these terms, each with a factor of its own. */
enum term { SQUARE, LINEAR, NOBODY_SINCE, NEXT_FOUND, CONSTANT, WAS_RELEASED, TERMS };

static const char *const letters[TERMS] = {"W^2", "W", "h", "k", "", "r"};

/* With fewest waiters a step may cost otherwise, as where a client watches two before it. */
struct formula {
    int64_t factor[TERMS];
    uint64_t from;  /* waiters from which on the sum holds */
    int64_t before; /* cost with a waiter less, if `from` is not the least of the step */
};

static int64_t value_of(const struct formula *formula, const struct law_view *at)
{
    int64_t waiters = (int64_t)at->waiters, sum = 0;
    const int64_t terms[TERMS] = {waiters * waiters,       waiters, at->arrivals_since_grant == 0,
                                  (int64_t)at->next_found, 1,       at->releases > 0};
    for (int term = 0; term < TERMS; term++)
        sum += formula->factor[term] * terms[term];
    return sum;
}

static int64_t ask(const struct recipe *recipe, enum tally_kind kind, enum law_step step,
                   struct law_view at)
{
    bool arrives = step == LAW_ARRIVAL_FREE || step == LAW_ARRIVAL_HELD;
    struct tally cost = {0};
    at.held = step != LAW_ARRIVAL_FREE;
    at.holders = at.held;
    at.granted = arrives ? !at.held : at.waiters > 0;
    at.look = recipe_look(recipe);
    (arrives ? recipe->law.arrival : recipe->law.release)(&at, &cost);
    return (int64_t)cost.of[kind];
}

static bool has_waiters(enum law_step step)
{
    return step == LAW_ARRIVAL_HELD || step == LAW_RELEASE_WAITED;
}

static uint64_t least_waiters(enum law_step step)
{
    return step == LAW_RELEASE_WAITED ? 1 : 0;
}

/* The formula for `from` waiters and more: from differences of the law's values at a few points. */
static struct formula formula_of(const struct recipe *recipe, enum tally_kind kind,
                                 enum law_step step, uint64_t from)
{
    struct formula formula = {.from = from};
    int64_t *factor = formula.factor;
    int64_t w = (int64_t)from;
    struct law_view at = {.waiters = from, .arrivals_since_grant = 1, .next_found = 1};
    struct law_view alone = at, again = at, behind = at, two = at, three = at;
    alone.arrivals_since_grant = 0;
    again.releases = 1;
    behind.next_found = 2;
    two.waiters = from + 1;
    three.waiters = from + 2;
    int64_t first = ask(recipe, kind, step, at);
    factor[NOBODY_SINCE] = ask(recipe, kind, step, alone) - first;
    factor[WAS_RELEASED] = ask(recipe, kind, step, again) - first;
    factor[NEXT_FOUND] = ask(recipe, kind, step, behind) - first;
    if (has_waiters(step)) {
        int64_t second = ask(recipe, kind, step, two), third = ask(recipe, kind, step, three);
        factor[SQUARE] = (third - 2 * second + first) / 2;
        factor[LINEAR] = second - first - (2 * w + 1) * factor[SQUARE];
    }
    factor[CONSTANT] = first - factor[NEXT_FOUND] - w * w * factor[SQUARE] - w * factor[LINEAR];
    if (from > least_waiters(step)) {
        at.waiters = from - 1;
        formula.before = ask(recipe, kind, step, at);
    }
    return formula;
}

/* Whether the law has the formula's values, which was computed from a few of them, at others, too:
 * it may depend on cases that no formula has. */
static bool agrees(const struct formula *formula, const struct recipe *recipe, enum tally_kind kind,
                   enum law_step step)
{
    uint64_t most = has_waiters(step) ? CHECKED_WAITERS : 0;
    for (uint64_t w = least_waiters(step); w <= most; w++) {
        for (unsigned i = 0; i < 3 * 3 * 2; i++) {
            const struct law_view at = {.waiters = w,
                                        .arrivals_since_grant = i % 2,
                                        .next_found = 1 + i / 2 % 3 * 2,
                                        .releases = i / 6};
            int64_t value = w < formula->from ? formula->before : value_of(formula, &at);
            if (value != ask(recipe, kind, step, at))
                return false;
        }
    }
    return true;
}

static void format_formula(const struct formula *formula, enum law_step step, char *text,
                           size_t size)
{
    size_t length = 0;
    snprintf(text, size, "0");
    for (int term = 0; term < TERMS; term++) {
        int64_t factor = formula->factor[term];
        char amount[24] = "";
        if (factor == 0)
            continue;
        if (llabs(factor) != 1 || term == CONSTANT)
            snprintf(amount, sizeof amount, "%lld", llabs(factor));
        length += (size_t)snprintf(text + length, size - length, "%s%s%s",
                                   length == 0  ? (factor < 0 ? "-" : "")
                                   : factor < 0 ? " - "
                                                : " + ",
                                   amount, letters[term]);
    }
    if (formula->from > least_waiters(step))
        snprintf(text + strlen(text), size - strlen(text), ", %lld at %llu",
                 (long long)formula->before, (unsigned long long)formula->from - 1);
}

bool law_table_row(const struct recipe *recipe, enum tally_kind kind, struct law_row *row)
{
    bool costs = false;
    for (int i = 0; tally_has_law(kind) && i < LAW_STEPS; i++) {
        enum law_step step = (enum law_step)i;
        uint64_t from = least_waiters(step);
        struct formula formula = formula_of(recipe, kind, step, from);
        if (has_waiters(step) && !agrees(&formula, recipe, kind, step))
            formula = formula_of(recipe, kind, step, from + 1);
        if (agrees(&formula, recipe, kind, step))
            format_formula(&formula, step, row->of[i], sizeof row->of[i]);
        else
            snprintf(row->of[i], sizeof row->of[i], NO_FORMULA);
        costs = costs || strcmp(row->of[i], "0") != 0;
    }
    return costs;
}

char *law_table_spell(const char *formula)
{
    struct growing_text spelled = {0};
    growing_text_add(&spelled, "%s", "");
    for (; *formula != '\0'; formula++) {
        bool is_power = *formula == '^' && (formula[1] == '2' || formula[1] == '3');
        if (is_power)
            growing_text_add(&spelled, *++formula == '2' ? "²" : "³");
        else
            growing_text_add(&spelled, "%c", *formula);
    }
    return spelled.text;
}

void law_table_write_formula(const char *formula, size_t columns, FILE *stream)
{
    char *spelled = law_table_spell(formula);
    size_t width = printable_columns(spelled, strlen(spelled));
    fprintf(stream, "%s%*s", spelled, width < columns ? (int)(columns - width) : 0, "");
    free(spelled);
}

void law_table_write(const struct recipe *recipe, FILE *stream)
{
    static const char *const labels[TALLY_KINDS] = {
        [TALLY_CREATE] = "CREATE",
        [TALLY_CREATE_FAILED] = "  of them failed",
        [TALLY_EXISTS] = "EXISTS",
        [TALLY_GET] = "getData",
        [TALLY_GET_CHILDREN] = "getChildren",
        [TALLY_SET] = "setData",
        [TALLY_DELETE] = "DELETE",
        [TALLY_DELETE_FAILED] = "  of them failed",
        [TALLY_MULTI] = "multi",
        [TALLY_SYNC] = "sync",
        [TALLY_NOTIFICATION] = "notifications",
        [TALLY_NOTIFICATION_SPURIOUS] = "  of them spurious",
        [TALLY_NAMES_LISTED] = "names listed",
    };
    static const size_t columns[LAW_STEPS] = {11, 16, 13, 0};
    static const char *const meanings[] = {
        "h: 1 if no client has arrived since the last grant, else 0",
        "k: number of clients that the next waiter found in line on its arrival",
        "r: 1 if the lock has been released before, else 0",
        "at: \"2, 1 at 0\" is 1 where W = 0, else 2",
        (NO_FORMULA ": depends on cases"),
    };
    bool met[sizeof meanings / sizeof meanings[0]] = {false};
    fputs("                      arrival,   arrival,        release,     release,\n"
          "                      lock free  held, W wait    W > 0 wait   none waits\n",
          stream);
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        struct law_row row = {0};
        if (!law_table_row(recipe, (enum tally_kind)kind, &row))
            continue;
        fprintf(stream, "  %-18s  ", labels[kind]);
        for (int step = 0; step < LAW_STEPS; step++) {
            law_table_write_formula(row.of[step], columns[step], stream);
            for (size_t i = 0; i < sizeof met / sizeof met[0]; i++)
                met[i] = met[i] || strchr(row.of[step], meanings[i][0]) != NULL;
        }
        fputc('\n', stream);
    }
    for (size_t i = 0; i < sizeof met / sizeof met[0]; i++) {
        if (met[i])
            fprintf(stream, "  %s\n", meanings[i]);
    }
}
