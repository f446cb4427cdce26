// SPDX-License-Identifier: Apache-2.0
/* The law that counts of runs with different numbers of clients obey. */
#include "base/memory.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/tap/internal.h"
#include "measure/fit.h"

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

struct table tap_runs(const struct tap_run *runs, size_t count)
{
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

struct table tap_laws(const struct tap_run *runs, size_t count)
{
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

/* ------------------------------------------------------------------ the terminal */

enum { COLUMN_COUNTED, COLUMN_LAW, COLUMN_EQUAL, COLUMN_DIFFER, COLUMN_GROWTH, COLUMNS };

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_COUNTED] = {.title = "messages"},
    [COLUMN_LAW] = {.title = "law"},
    [COLUMN_EQUAL] = {.title = "runs equal", .right = true},
    [COLUMN_DIFFER] = {.title = "others differ by", .right = true, .spare = 1},
    [COLUMN_GROWTH] = {.title = "grows as"},
};

void tap_laws_write(const struct tap_run *runs, size_t count, unsigned width, FILE *stream)
{
    struct table laws = tap_laws(runs, count);
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
