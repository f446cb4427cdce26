// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/law_table.h"

#include <stdlib.h>
#include <string.h>

enum step { ARRIVAL_FREE, ARRIVAL_HELD, RELEASE_WAITED, RELEASE_ALONE, STEPS };

/* square·W² + linear·W + h·(1 if nobody has arrived since the grant) + k·(the next waiter's k) +
 * constant + r·(1 if the lock was released before) */
struct formula {
    int64_t square, linear, h, k, constant, r;
};

/* Which of the letters that are explained a table has. */
struct letters {
    bool h, k, r;
};

struct question {
    enum step step;
    uint64_t waiters;
    bool nobody_since;
    uint64_t next_found;
    uint64_t releases;
};

static int64_t ask(const struct recipe *recipe, enum tally_kind kind,
                   const struct question *question)
{
    const struct law_view view = {
        .held = question->step != ARRIVAL_FREE,
        .waiters = question->waiters,
        .arrivals_since_grant = question->nobody_since ? 0 : 1,
        .next_found = question->next_found,
        .releases = question->releases,
    };
    struct tally cost = {0};
    if (question->step == ARRIVAL_FREE || question->step == ARRIVAL_HELD)
        recipe->law.arrival(&view, &cost);
    else
        recipe->law.release(&view, &cost);
    return (int64_t)cost.of[kind];
}

static bool has_waiters(enum step step)
{
    return step == ARRIVAL_HELD || step == RELEASE_WAITED;
}

static struct formula formula_of(const struct recipe *recipe, enum tally_kind kind, enum step step)
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

static const char *in_words(const struct formula *formula, char *text, size_t size)
{
    text[0] = '\0';
    append(text, size, formula->square, "W^2");
    append(text, size, formula->linear, "W");
    append(text, size, formula->h, "h");
    append(text, size, formula->k, "k");
    append(text, size, formula->constant, "");
    append(text, size, formula->r, "r");
    return text[0] == '\0' ? "0" : text;
}

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

static bool is_nothing(const struct formula *formula)
{
    return formula->square == 0 && formula->linear == 0 && formula->h == 0 && formula->k == 0 &&
           formula->constant == 0 && formula->r == 0;
}

/* Writes the row of a kind, unless no step ever costs any. Notes which letters it has. */
static void write_row(const struct recipe *recipe, enum tally_kind kind, struct letters *has,
                      FILE *stream)
{
    struct formula formulas[STEPS];
    bool nothing = true;
    for (int step = 0; step < STEPS; step++) {
        formulas[step] = formula_of(recipe, kind, (enum step)step);
        nothing = nothing && is_nothing(&formulas[step]);
        has->h = has->h || formulas[step].h != 0;
        has->k = has->k || formulas[step].k != 0;
        has->r = has->r || formulas[step].r != 0;
    }
    if (nothing)
        return;
    char text[STEPS][64];
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", label_of(kind),
            in_words(&formulas[ARRIVAL_FREE], text[0], sizeof text[0]),
            in_words(&formulas[ARRIVAL_HELD], text[1], sizeof text[1]),
            in_words(&formulas[RELEASE_WAITED], text[2], sizeof text[2]),
            in_words(&formulas[RELEASE_ALONE], text[3], sizeof text[3]));
}

void law_table_write(const struct recipe *recipe, FILE *stream)
{
    struct letters has = {0};
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", "", "arrival,", "arrival,", "release,",
            "release,");
    fprintf(stream, "  %-18s  %-9s  %-14s  %-11s  %s\n", "", "lock free", "held, W wait",
            "W > 0 wait", "nobody waits");
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (tally_has_law((enum tally_kind)kind))
            write_row(recipe, (enum tally_kind)kind, &has, stream);
    }
    if (has.h)
        fputs("  h: 1 if no client has arrived since the last grant, else 0\n", stream);
    if (has.k)
        fputs("  k: number of clients that the next waiter found in line on its arrival\n", stream);
    if (has.r)
        fputs("  r: 1 if the lock has been released before, else 0\n", stream);
}
