// SPDX-License-Identifier: Apache-2.0
/* The watches of the clients, and which writes notified them, at what cost. */
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/tap/internal.h"

#include <stdlib.h>

TABLE_DEFINE(tap_watch, "watches.csv", TAP_WATCH_COLUMNS)
TABLE_DEFINE(tap_cause, "causes.csv", TAP_CAUSE_COLUMNS)
TABLE_DEFINE(tap_herd, "herds.csv", TAP_HERD_COLUMNS)

#define GAP   2
#define SHOWN 8 /* rows of a table */

/* ------------------------------------------------------------------ rows */

struct table tap_watches(const struct tap_result *result)
{
    const struct watches *watches = result->watches;
    static const char *const kinds[WATCHES_KINDS] = {"data", "children", "staying"};
    struct table table = {.type = &tap_watch_table};
    for (size_t i = 0; i < watches->kinds.count; i++) {
        const struct watches_figures *figures = &watches->figures[i];
        struct table_value *row = table_add(&table);
        row[tap_watch_kind] = table_text(kinds[watches->kinds.list[i].number]);
        row[tap_watch_pattern] = table_text(watches->kinds.list[i].text);
#define X(_, name, meaning) row[tap_watch_##name] = table_count(figures->name);
        WATCHES_FIGURES(X, _)
#undef X
    }
    return table;
}

static int compare_causes(const void *a, const void *b)
{
    const struct table_value *first = a, *second = b;
    uint64_t x = first[tap_cause_notified].count, y = second[tap_cause_notified].count;
    return (x < y) - (x > y);
}

struct table tap_causes(const struct tap_result *result)
{
    const struct watches *watches = result->watches;
    struct table table = {.type = &tap_cause_table};
    for (size_t i = 0; i < watches->writes.count; i++) {
        const struct watches_cause *cause = watches->causes[i];
        struct table_value *row = table_add(&table);
        row[tap_cause_operation] =
            table_text(opcode_name((enum opcode)watches->writes.list[i].number));
        row[tap_cause_pattern] = table_text(watches->writes.list[i].text);
        row[tap_cause_writes] = table_count(cause->writes);
        row[tap_cause_notified_most] = table_count(cause->notified_most);
        row[tap_cause_notified] = table_count(cause->notified);
        row[tap_cause_requests_after] = table_count(cause->followed);
        row[tap_cause_bytes_after] = table_count(cause->followed_bytes);
        row[tap_cause_got] = table_count(cause->got);
        row[tap_cause_in_vain] = table_count(cause->armed_again);
        row[tap_cause_last_p50_us] = table_real(histogram_percentile_us(&cause->last, 50));
        row[tap_cause_last_max_us] = table_real(histogram_percentile_us(&cause->last, 100));
    }
    if (table.rows > 0)
        qsort(table.values, table.rows, tap_cause_columns_count * sizeof *table.values,
              compare_causes);
    return table;
}

struct table tap_herds(const struct tap_result *result)
{
    const struct watches *watches = result->watches;
    struct table table = {.type = &tap_herd_table};
    for (size_t i = 0; i < WATCHES_COSTLIEST && watches->costliest[i].uses > 0; i++) {
        const struct watches_write *write = &watches->costliest[i];
        struct table_value *row = table_add(&table);
        row[tap_herd_operation] = table_text(opcode_name(write->opcode));
        row[tap_herd_pattern] = table_text(write->pattern);
        row[tap_herd_at_s] = table_real((double)(write->requested_ns - result->begun_ns) / 1e9);
        row[tap_herd_notified] = table_count(write->notified);
        row[tap_herd_requests_after] = table_count(write->followed);
        row[tap_herd_bytes_after] = table_count(write->followed_bytes);
        row[tap_herd_got] = table_count(write->got);
        row[tap_herd_in_vain] = table_count(write->armed_again);
        row[tap_herd_last_us] = table_real((double)(write->last_ns - write->requested_ns) / 1e3);
    }
    return table;
}

/* ------------------------------------------------------------------ the terminal */

enum { WATCH_KIND, WATCH_FIRST, WATCH_PATH = WATCH_FIRST + 6, WATCH_COLUMNS };

static const struct grid_column of_watches[WATCH_COLUMNS] = {
    {.title = "watches"},
    {.title = "set", .right = true},
    {.title = "again", .right = true, .spare = 1},
    {.title = "fired", .right = true},
    {.title = "removed", .right = true, .spare = 2},
    {.title = "left", .right = true},
    {.title = "armed", .right = true, .spare = 1},
    {.title = "path", .below = true},
};

static void write_watches(const struct tap_result *result, unsigned width, FILE *stream)
{
    struct table rows = tap_watches(result);
    struct grid grid;
    grid_init(&grid, of_watches, WATCH_COLUMNS, GAP);
    for (size_t i = 0; i < rows.rows && i < SHOWN; i++) {
        const struct table_value *row = table_row(&rows, i);
        grid_put(&grid, "%s", row[tap_watch_kind].text);
        for (size_t j = tap_watch_set; j <= tap_watch_armed; j++)
            grid_put_whole(&grid, table_number(&row[j]));
        grid_put(&grid, "%s", row[tap_watch_pattern].text);
    }
    tap_write_grid(&grid, width, stream);
    if (rows.rows > SHOWN)
        fprintf(stream, "%zu more are in watches.csv\n", rows.rows - SHOWN);
    table_deinit(&rows);
}

enum {
    HERD_WRITE,
    HERD_NOTIFIED,
    HERD_AFTER,
    HERD_GOT,
    HERD_IN_VAIN,
    HERD_LAST,
    HERD_AT,
    HERD_PATH,
    HERD_COLUMNS
};

static const struct grid_column of_herds[HERD_COLUMNS] = {
    [HERD_WRITE] = {.over = "costliest", .title = "writes"},
    [HERD_NOTIFIED] = {.title = "notified", .right = true},
    [HERD_AFTER] = {.over = "requests", .title = "after", .right = true},
    [HERD_GOT] = {.over = "sessions", .title = "got", .right = true},
    [HERD_IN_VAIN] = {.over = "sessions", .title = "in vain", .right = true},
    [HERD_LAST] = {.over = "all told", .title = "after ms", .right = true},
    [HERD_AT] = {.title = "at s", .right = true, .spare = 1},
    [HERD_PATH] = {.title = "path", .below = true},
};

static void write_herds(const struct tap_result *result, unsigned width, FILE *stream)
{
    struct table rows = tap_herds(result);
    struct grid grid;
    grid_init(&grid, of_herds, HERD_COLUMNS, GAP);
    for (size_t i = 0; i < rows.rows; i++) {
        const struct table_value *row = table_row(&rows, i);
        grid_put(&grid, "%s", row[tap_herd_operation].text);
        grid_put_whole(&grid, table_number(&row[tap_herd_notified]));
        grid_put_whole(&grid, table_number(&row[tap_herd_requests_after]));
        grid_put_whole(&grid, table_number(&row[tap_herd_got]));
        grid_put_whole(&grid, table_number(&row[tap_herd_in_vain]));
        grid_put_real(&grid, table_number(&row[tap_herd_last_us]) / 1e3, 2);
        grid_put_real(&grid, table_number(&row[tap_herd_at_s]), 3);
        grid_put(&grid, "%s", row[tap_herd_pattern].text);
    }
    tap_write_grid(&grid, width, stream);
    table_deinit(&rows);
}

void tap_watches_write(const struct tap_result *result, unsigned width, FILE *stream)
{
    const struct watches *watches = result->watches;
    if (watches->kinds.count > 0)
        fputs("\n", stream);
    write_watches(result, width, stream);
    if (watches->writes.count > 0)
        fputs("\n", stream);
    write_herds(result, width, stream);
    if (watches->unattributed > 0)
        wrap_sentence(stream,
                      "Of %llu notifications the write that fired them did not pass the relay.",
                      (unsigned long long)watches->unattributed);
}
