// SPDX-License-Identifier: Apache-2.0
/* The law that counts of runs with different numbers of clients obey. */
#include "base/memory.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/tap/internal.h"
#include "measure/fit.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(tap_run, "runs.csv", TAP_RUN_COLUMNS)
TABLE_DEFINE(tap_law, "laws.csv", TAP_LAW_COLUMNS)

#define GAP      2
#define LAW_SIZE 128

/* ------------------------------------------------------------------ what is counted */

void tap_count(const struct traffic *traffic, struct tap_run *run)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        run->counts[opcode] = traffic->operations[opcode].requests;
        run->counts[TAP_FAILED + opcode] = traffic->operations[opcode].failed;
    }
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
        run->counts[TAP_NOTIFICATIONS + event] = traffic->notifications[event];
    run->counts[TAP_ALL] = traffic_requests(traffic);
}

/* The caller's to free. */
static char *name_of(size_t counted)
{
    if (counted == TAP_ALL)
        return memory_text("all requests");
    if (counted >= TAP_NOTIFICATIONS)
        return memory_format("notification %s",
                             traffic_event_word((enum traffic_event)(counted - TAP_NOTIFICATIONS)));
    if (counted >= TAP_FAILED)
        return memory_format("%s failed", opcode_name((enum opcode)(counted - TAP_FAILED)));
    return memory_text(opcode_name((enum opcode)counted));
}

/* Pings come with time, not with clients. */
static bool occurs(const struct tap_run *runs, size_t count, size_t counted)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found = found || runs[i].counts[counted] > 0;
    return found && counted != OPCODE_PING;
}

struct table tap_runs(const struct tap_result *result)
{
    const struct tap_run *runs = result->runs;
    size_t count = result->run_count;
    struct table table = {.type = &tap_run_table};
    for (size_t i = 0; i < count; i++)
        for (size_t counted = 0; counted < TAP_COUNTS; counted++) {
            if (!occurs(runs, count, counted))
                continue;
            struct table_value *row = table_add(&table);
            char *name = name_of(counted);
            row[tap_run_clients] = table_count(runs[i].n);
            row[tap_run_trial] = table_count(runs[i].trial);
            row[tap_run_counted] = table_text(name);
            row[tap_run_messages] = table_count(runs[i].counts[counted]);
            free(name);
        }
    return table;
}

/* ------------------------------------------------------------------ laws */

static void put_law(struct table_value *row, const double *x, const double *y, size_t count)
{
    char law[LAW_SIZE];
    size_t equal;
    const struct fit_polynomial fit = fit_consensus(x, y, count, &equal);
    const struct fit_exponent growth = fit_exponent(x, y, count);
    if (fit.exact) {
        row[tap_law_law] = table_text(fit_describe(&fit, 'n', law, sizeof law));
        row[tap_law_equal] = table_count(equal);
        row[tap_law_differ_most] = table_count((uint64_t)fit.max_residual);
    }
    row[tap_law_runs] = table_count(count);
    table_put_interval(&row[tap_law_exponent],
                       &(struct interval){growth.exponent, growth.low, growth.high});
}

struct table tap_laws(const struct tap_result *result)
{
    const struct tap_run *runs = result->runs;
    size_t count = result->run_count;
    struct table table = {.type = &tap_law_table};
    double *x = memory_new(count, sizeof *x), *y = memory_new(count, sizeof *y);
    for (size_t counted = 0; counted < TAP_COUNTS; counted++) {
        if (!occurs(runs, count, counted))
            continue;
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)runs[i].n;
            y[i] = (double)runs[i].counts[counted];
        }
        char *name = name_of(counted);
        struct table_value *row = table_add(&table);
        row[tap_law_counted] = table_text(name);
        put_law(row, x, y, count);
        free(name);
    }
    free(x);
    free(y);
    return table;
}

/* ------------------------------------------------------------------ recipes with the same law */

/* The kinds of messages that laws of recipes are about, and the operations that are one of a kind.
 */
static const struct kind {
    enum tally_kind tally;
    const char *word;
    size_t counted[5]; /* then TAP_COUNTS */
} kinds[] = {
    {TALLY_CREATE,
     "create",
     {OPCODE_CREATE, OPCODE_CREATE2, OPCODE_CREATE_CONTAINER, OPCODE_CREATE_TTL, TAP_COUNTS}},
    {TALLY_CREATE_FAILED,
     "failed create",
     {TAP_FAILED + OPCODE_CREATE, TAP_FAILED + OPCODE_CREATE2, TAP_FAILED + OPCODE_CREATE_CONTAINER,
      TAP_FAILED + OPCODE_CREATE_TTL, TAP_COUNTS}},
    {TALLY_EXISTS, "exists", {OPCODE_EXISTS, TAP_COUNTS}},
    {TALLY_GET, "getData", {OPCODE_GET_DATA, TAP_COUNTS}},
    {TALLY_GET_CHILDREN, "getChildren", {OPCODE_GET_CHILDREN, OPCODE_GET_CHILDREN2, TAP_COUNTS}},
    {TALLY_SET, "setData", {OPCODE_SET_DATA, TAP_COUNTS}},
    {TALLY_DELETE, "delete", {OPCODE_DELETE, TAP_COUNTS}},
    {TALLY_DELETE_FAILED, "failed delete", {TAP_FAILED + OPCODE_DELETE, TAP_COUNTS}},
    {TALLY_MULTI, "multi", {OPCODE_MULTI, TAP_COUNTS}},
    {TALLY_SYNC, "sync", {OPCODE_SYNC, TAP_COUNTS}},
    {TALLY_NOTIFICATION,
     "notification",
     {TAP_NOTIFICATIONS + TRAFFIC_CREATED, TAP_NOTIFICATIONS + TRAFFIC_DELETED,
      TAP_NOTIFICATIONS + TRAFFIC_CHANGED, TAP_NOTIFICATIONS + TRAFFIC_CHILDREN, TAP_COUNTS}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* By how much the counts of a kind exceed those of a drain of the recipe: a polynomial that is
 * exact, or not. */
static struct fit_polynomial excess_of(const struct tap_run *runs, const struct tally *laws,
                                       size_t count, const struct kind *kind)
{
    double x[FIT_CONSENSUS_MAX], y[FIT_CONSENSUS_MAX];
    size_t equal;
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)runs[i].n;
        y[i] = -(double)laws[i].of[kind->tally];
        for (const size_t *counted = kind->counted; *counted != TAP_COUNTS; counted++)
            y[i] += (double)runs[i].counts[*counted];
    }
    return fit_consensus(x, y, count, &equal);
}

/* How many kinds differ from the recipe's law: 0, 1 with the excess of that kind, or 2: more, or by
 * what no polynomial says. Less than the law is more than one. */
static size_t compare_with(const struct tap_run *runs, size_t count, const struct recipe *recipe,
                           const struct kind **kind, struct fit_polynomial *excess)
{
    struct tally laws[FIT_CONSENSUS_MAX] = {0};
    size_t differ = 0;
    for (size_t i = 0; i < count; i++)
        law_total(recipe, runs[i].n, runs[i].n, &laws[i]);
    for (size_t i = 0; i < KINDS && differ < 2; i++) {
        const struct fit_polynomial fit = excess_of(runs, laws, count, &kinds[i]);
        bool is_zero = fit.exact && fit.degree == 0 && fit.c[0] == 0;
        if (is_zero)
            continue;
        differ += fit.exact && fit.c[fit.degree] > 0 ? 1 : 2;
        *kind = &kinds[i];
        *excess = fit;
    }
    return differ < 2 ? differ : 2;
}

char *tap_like(const struct tap_result *result)
{
    const struct tap_run *runs = result->runs;
    size_t count = result->run_count;
    struct growing_text same = {0};
    const struct kind *kind = kinds;
    const struct recipe *recipe;
    struct fit_polynomial excess;
    char law[LAW_SIZE], *near = NULL;
    for (size_t i = 0; count > 0 && (recipe = registry_at(i)) != NULL; i++) {
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        size_t differ = compare_with(runs, count, recipe, &kind, &excess);
        if (differ == 0)
            growing_text_add(&same, "%s%s",
                             same.text == NULL ? "The counts are those of zkherd's recipe " : ", ",
                             recipe->name);
        else if (differ == 1 && near == NULL)
            near = memory_format("The counts are those of zkherd's recipe %s, and %s %s more.",
                                 recipe->name, fit_describe(&excess, 'n', law, sizeof law),
                                 kind->word);
    }
    if (same.text == NULL)
        return near;
    free(near);
    growing_text_add(&same, ".");
    return same.text;
}

/* ------------------------------------------------------------------ what is made once */

/* By how much the first run exceeds the least of those with as many clients. */
static uint64_t more_at_first(const struct tap_result *result, size_t counted)
{
    uint64_t least = UINT64_MAX, first = result->first.counts[counted];
    for (size_t i = 0; i < result->run_count; i++)
        if (result->runs[i].n == result->first.n && result->runs[i].counts[counted] < least)
            least = result->runs[i].counts[counted];
    return first > least ? first - least : 0;
}

char *tap_first_time(const struct tap_result *result)
{
    struct growing_text text = {0};
    for (size_t counted = 0; counted < TAP_ALL; counted++) {
        uint64_t more = counted != OPCODE_PING ? more_at_first(result, counted) : 0;
        if (more == 0)
            continue;
        char *name = name_of(counted);
        growing_text_add(&text, "%s%" PRIu64 " %s",
                         text.text == NULL ? "The first run, which is not counted, had more: "
                                           : ", ",
                         more, name);
        free(name);
    }
    if (text.text != NULL)
        growing_text_add(&text, ". That is what clients make once.");
    return text.text;
}

/* ------------------------------------------------------------------ the terminal */

enum { COLUMN_COUNTED, COLUMN_LAW, COLUMN_EQUAL, COLUMN_DIFFER, COLUMN_GROWTH, COLUMNS };

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_COUNTED] = {.title = "messages"},
    [COLUMN_LAW] = {.title = "law"},
    [COLUMN_EQUAL] = {.title = "runs equal", .right = true},
    [COLUMN_DIFFER] = {.title = "others differ by", .right = true, .spare = 1},
    [COLUMN_GROWTH] = {.title = "grows as"},
};

void tap_laws_write(const struct tap_result *result, unsigned width, FILE *stream)
{
    struct table laws = tap_laws(result);
    size_t count = result->run_count;
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < laws.rows; i++) {
        const struct table_value *row = table_row(&laws, i);
        bool exact = row[tap_law_law].kind == TABLE_TEXT;
        bool all = exact && row[tap_law_equal].count == row[tap_law_runs].count;
        grid_put(&grid, "%s", row[tap_law_counted].text);
        grid_put(&grid, "%s", exact ? row[tap_law_law].text : GRID_UNKNOWN);
        grid_put(&grid, "%.0f of %zu", exact ? table_number(&row[tap_law_equal]) : 0, count);
        if (exact && !all)
            grid_put(&grid, "at most %.0f", table_number(&row[tap_law_differ_most]));
        else
            grid_put(&grid, "%s", exact ? "" : GRID_UNKNOWN);
        if (exact || !isfinite(table_number(&row[tap_law_exponent_low])))
            grid_put(&grid, "%s", "");
        else
            grid_put(&grid, "n^%.2f (%.2f to %.2f)", table_number(&row[tap_law_exponent]),
                     table_number(&row[tap_law_exponent_low]),
                     table_number(&row[tap_law_exponent_high]));
    }
    grid.hidden[COLUMN_DIFFER] = grid_all_are(&grid, COLUMN_DIFFER, "");
    grid.hidden[COLUMN_GROWTH] = grid_all_are(&grid, COLUMN_GROWTH, "");
    (void)!grid_fit(&grid, width, 1);
    grid_write(&grid, width, stream);
    grid_deinit(&grid);
    table_deinit(&laws);
}
