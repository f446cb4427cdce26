// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/law_table.h"

#include <stdlib.h>
#include <string.h>

#define NO_FORMULA      "?"
#define CHECKED_WAITERS 20

/* square·W² + linear·W + h·(1 if nobody has arrived since the grant) + k·(the next waiter's k) +
 * constant + r·(1 if the lock was released before) */
struct formula {
    int64_t square, linear, h, k, constant, r;
};

struct question {
    enum law_step step;
    uint64_t waiters;
    bool nobody_since;
    uint64_t next_found;
    uint64_t releases;
};

static int64_t ask(const struct recipe *recipe, enum tally_kind kind,
                   const struct question *question)
{
    const struct law_view view = {
        .held = question->step != LAW_ARRIVAL_FREE,
        .waiters = question->waiters,
        .arrivals_since_grant = question->nobody_since ? 0 : 1,
        .next_found = question->next_found,
        .releases = question->releases,
    };
    struct tally cost = {0};
    if (question->step == LAW_ARRIVAL_FREE || question->step == LAW_ARRIVAL_HELD)
        recipe->law.arrival(&view, &cost);
    else
        recipe->law.release(&view, &cost);
    return (int64_t)cost.of[kind];
}

static bool has_waiters(enum law_step step)
{
    return step == LAW_ARRIVAL_HELD || step == LAW_RELEASE_WAITED;
}

static struct formula formula_of(const struct recipe *recipe, enum tally_kind kind,
                                 enum law_step step)
{
    struct question question = {
        .step = step, .waiters = has_waiters(step) ? 1 : 0, .next_found = 1};
    struct formula formula = {0};
    int64_t at[4] = {0, ask(recipe, kind, &question)};
    question.nobody_since = true;
    formula.h = ask(recipe, kind, &question) - at[1];
    question.nobody_since = false;
    question.releases = 1;
    formula.r = ask(recipe, kind, &question) - at[1];
    question.releases = 0;
    question.next_found = 2;
    formula.k = ask(recipe, kind, &question) - at[1];
    question.next_found = 1;
    formula.constant = at[1] - formula.k;
    if (!has_waiters(step))
        return formula;
    for (question.waiters = 2; question.waiters < 4; question.waiters++)
        at[question.waiters] = ask(recipe, kind, &question);
    formula.square = (at[3] - 2 * at[2] + at[1]) / 2;
    formula.linear = at[2] - at[1] - 3 * formula.square;
    formula.constant -= formula.square + formula.linear;
    return formula;
}

static int64_t value_of(const struct formula *formula, const struct question *question)
{
    int64_t w = (int64_t)question->waiters;
    return formula->square * w * w + formula->linear * w +
           (question->nobody_since ? formula->h : 0) + formula->k * (int64_t)question->next_found +
           formula->constant + (question->releases > 0 ? formula->r : 0);
}

static bool is_so_for(const struct formula *formula, const struct recipe *recipe,
                      enum tally_kind kind, enum law_step step, uint64_t waiters)
{
    for (unsigned i = 0; i < 3 * 3 * 2; i++) {
        const struct question question = {.step = step,
                                          .waiters = waiters,
                                          .nobody_since = i % 2 != 0,
                                          .next_found = 1 + i / 2 % 3 * 2,
                                          .releases = i / 6};
        if (value_of(formula, &question) != ask(recipe, kind, &question))
            return false;
    }
    return true;
}

/* A law may go by cases that no formula has: it was computed from a few values, and is compared
 * with more of them. */
static bool is_so(const struct formula *formula, const struct recipe *recipe, enum tally_kind kind,
                  enum law_step step)
{
    uint64_t most = has_waiters(step) ? CHECKED_WAITERS : 0;
    for (uint64_t w = step == LAW_RELEASE_WAITED ? 1 : 0; w <= most; w++) {
        if (!is_so_for(formula, recipe, kind, step, w))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ words */

static void append(char *text, size_t size, int64_t factor, const char *letter)
{
    size_t length = strlen(text);
    if (factor == 0)
        return;
    const char *sign = length == 0 ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    long long amount = llabs((long long)factor);
    if (amount == 1 && letter[0] != '\0')
        snprintf(text + length, size - length, "%s%s", sign, letter);
    else
        snprintf(text + length, size - length, "%s%lld%s", sign, amount, letter);
}

static void put_in_words(const struct formula *formula, char *text, size_t size)
{
    text[0] = '\0';
    append(text, size, formula->square, "W^2");
    append(text, size, formula->linear, "W");
    append(text, size, formula->h, "h");
    append(text, size, formula->k, "k");
    append(text, size, formula->constant, "");
    append(text, size, formula->r, "r");
    if (text[0] == '\0')
        snprintf(text, size, "0");
}

bool law_table_row(const struct recipe *recipe, enum tally_kind kind, struct law_row *row)
{
    bool costs = false;
    for (int step = 0; step < LAW_STEPS; step++) {
        struct formula formula = formula_of(recipe, kind, (enum law_step)step);
        if (is_so(&formula, recipe, kind, (enum law_step)step))
            put_in_words(&formula, row->of[step], sizeof row->of[step]);
        else
            snprintf(row->of[step], sizeof row->of[step], NO_FORMULA);
        costs = costs || strcmp(row->of[step], "0") != 0;
    }
    return costs;
}

/* ------------------------------------------------------------------ the table */

static const char *label_of(enum tally_kind kind)
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
        [TALLY_NOTIFICATION] = "notifications",
        [TALLY_NOTIFICATION_SPURIOUS] = "  of them spurious",
        [TALLY_NAMES_LISTED] = "names listed",
    };
    return labels[kind];
}

/* Writes the row of a kind, unless no step ever costs any. Appends its formulas to `all`. */
static void write_row(const struct recipe *recipe, enum tally_kind kind, char *all, size_t size,
                      FILE *stream)
{
    struct law_row row = {0};
    if (!law_table_row(recipe, kind, &row))
        return;
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", label_of(kind), row.of[LAW_ARRIVAL_FREE],
            row.of[LAW_ARRIVAL_HELD], row.of[LAW_RELEASE_WAITED], row.of[LAW_RELEASE_ALONE]);
    for (int step = 0; step < LAW_STEPS; step++)
        strncat(all, row.of[step], size - strlen(all) - 1);
}

void law_table_write(const struct recipe *recipe, FILE *stream)
{
    char all[TALLY_KINDS * sizeof(struct law_row) + 1] = "";
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", "", "arrival,", "arrival,", "release,",
            "release,");
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", "", "lock free", "held, W wait",
            "W > 0 wait", "nobody waits");
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (tally_has_law((enum tally_kind)kind))
            write_row(recipe, (enum tally_kind)kind, all, sizeof all, stream);
    }
    if (strchr(all, 'h') != NULL)
        fputs("  h: 1 if no client has arrived since the last grant, else 0\n", stream);
    if (strchr(all, 'k') != NULL)
        fputs("  k: number of clients that the next waiter found in line on its arrival\n", stream);
    if (strchr(all, 'r') != NULL)
        fputs("  r: 1 if the lock has been released before, else 0\n", stream);
    if (strstr(all, NO_FORMULA) != NULL)
        fputs("  " NO_FORMULA ": goes by cases, which no formula of W, h, k and r has\n", stream);
}
