// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load_table.h"

#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define GAP         2
#define MIX_COLUMNS 76 /* of a mix, behind the word */

enum {
    COLUMN_READS,
    COLUMN_SESSIONS,
    COLUMN_RATE,
    COLUMN_ACHIEVED,
    COLUMN_INTERVAL,
    COLUMN_ERRORS,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_SENT_P99,
    COLUMN_NOTIFIED_P99,
    COLUMN_VERDICT,
    TABLE_COLUMNS
};

static const struct grid_column columns_of_table[TABLE_COLUMNS] = {
    [COLUMN_READS] = {.title = "reads", .right = true},
    [COLUMN_SESSIONS] = {.over = "ses-", .title = "sions", .right = true},
    [COLUMN_RATE] = {.over = "offered", .title = "1/s", .right = true},
    [COLUMN_ACHIEVED] = {.over = "answered", .title = "1/s", .right = true},
    [COLUMN_INTERVAL] = {.over = "interval", .title = "95 %", .spare = 3, .right = true},
    [COLUMN_ERRORS] = {.title = "errors", .spare = 1, .right = true},
    [COLUMN_P50] = {.over = "response", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "response", .title = "p99 ms", .right = true},
    [COLUMN_SENT_P99] = {.over = "service", .title = "p99 ms", .spare = 2, .right = true},
    [COLUMN_NOTIFIED_P99] = {.over = "all notified", .title = "p99 ms", .right = true},
    [COLUMN_VERDICT] = {.title = "verdict"},
};

static void put_interval(struct grid *grid, const struct interval *interval)
{
    char low[32], high[32];
    if (isfinite(interval->low))
        grid_put(grid, "%s to %s",
                 text_format_count((uint64_t)(interval->low + 0.5), low, sizeof low),
                 text_format_count((uint64_t)(interval->high + 0.5), high, sizeof high));
    else
        grid_put(grid, GRID_UNKNOWN);
}

static const char *verdict_word(const struct table_cell *cell)
{
    switch (load_cell_verdict(cell)) {
    case 0:
        return "valid";
    case 1:
        return "FAILS";
    default:
        return table_cell_flags(cell, load_row_driver_bound) > 0 ? "driver" : "not valid";
    }
}

static void put_ms(struct grid *grid, const struct table_cell *cell, size_t column)
{
    grid_put_real(grid, load_cell_figure(cell, column).value / 1e3, 2);
}

static void put_row(struct grid *grid, const struct table_cell *cell)
{
    const struct table_value *rate = table_cell_value(cell, load_row_rate_per_s);
    struct interval achieved = load_cell_figure(cell, load_row_achieved_per_s);
    grid_put(grid, "%.0f %%", table_number(table_cell_value(cell, load_row_reads_percent)));
    grid_put_whole(grid, table_number(table_cell_value(cell, load_row_sessions)));
    if (rate->kind == TABLE_COUNT)
        grid_put_whole(grid, (double)rate->count);
    else
        grid_put(grid, GRID_UNKNOWN);
    grid_put_whole(grid, achieved.value);
    put_interval(grid, &achieved);
    grid_put_whole(grid, table_cell_sum(cell, load_row_errors, load_row_complete));
    put_ms(grid, cell, load_row_response_p50_us);
    put_ms(grid, cell, load_row_response_p99_us);
    put_ms(grid, cell, load_row_service_p99_us);
    put_ms(grid, cell, load_row_last_notification_p99_us);
    grid_put(grid, "%s", verdict_word(cell));
}

static void hide(struct grid *grid, const struct load_options *options, unsigned columns)
{
    grid->hidden[COLUMN_READS] = options->reads.count == 0;
    grid->hidden[COLUMN_RATE] = options->rates.count == 0;
    grid->hidden[COLUMN_INTERVAL] = grid_all_are(grid, COLUMN_INTERVAL, GRID_UNKNOWN);
    grid->hidden[COLUMN_SENT_P99] = options->rates.count == 0;
    grid->hidden[COLUMN_NOTIFIED_P99] = options->watch_percent == 0;
    if (grid_width(grid) > columns && grid_all_are(grid, COLUMN_ERRORS, "0"))
        grid->hidden[COLUMN_ERRORS] = true;
    (void)!grid_fit(grid, columns, 1);
}

/* The one mix of all rows, unless each row has its share of reads. A mix that is too long for a
 * line is broken behind a comma. */
static void write_mix(const struct load_options *options, FILE *stream)
{
    char text[128];
    const struct mix mix = load_options_mix(options, 0);
    size_t first = strlen(mix_format(&mix, text, sizeof text));
    if (options->reads.count > 0)
        return;
    if (first > MIX_COLUMNS)
        for (first = MIX_COLUMNS; text[first - 1] != ',';)
            first--;
    fprintf(stream, "mix %.*s\n", (int)first, text);
    if (text[first] != '\0')
        fprintf(stream, "    %s\n", text + first);
    fputs("\n", stream);
}

void load_table_write(const struct table *rows, const struct load_options *options,
                      unsigned columns, FILE *stream)
{
    struct table_cells cells = load_rows_cells(rows);
    struct grid grid;
    grid_init(&grid, columns_of_table, TABLE_COLUMNS, GAP);
    for (size_t i = 0; i < cells.count; i++)
        put_row(&grid, &cells.list[i]);
    table_cells_deinit(&cells);
    hide(&grid, options, columns);
    write_mix(options, stream);
    grid_write(&grid, columns, stream);
    grid_deinit(&grid);
}

void load_table_tell(const struct load_record *record)
{
    const struct load_options *options = record->options;
    load_record_complain(record);
    if (options->output.quiet)
        return;
    if (options->target.topology_count > 1)
        printf("\n%s: %zu server%s\n\n", record->target, record->context.servers,
               record->context.servers == 1 ? "" : "s");
    load_table_write(&record->rows, options, terminal_columns(STDOUT_FILENO), stdout);
    printf("\nresults in %s\n", record->files.set.folder);
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_cell(const struct table_cell *cell)
{
    const struct table_value *rate = table_cell_value(cell, load_row_rate_per_s);
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:s, s:o}", "mix",
                  table_cell_value(cell, load_row_mix)->text, "reads_percent",
                  (json_int_t)table_cell_value(cell, load_row_reads_percent)->count, "sessions",
                  (json_int_t)table_cell_value(cell, load_row_sessions)->count, "rate_per_s",
                  rate->kind == TABLE_COUNT ? json_integer((json_int_t)rate->count) : json_null(),
                  "trials_complete", (json_int_t)table_cell_flags(cell, load_row_complete),
                  "trials_valid", (json_int_t)table_cell_flags(cell, load_row_valid),
                  "trials_driver_bound", (json_int_t)table_cell_flags(cell, load_row_driver_bound),
                  "trials_miscounted", (json_int_t)table_cell_flags(cell, load_row_miscounted),
                  "verdict", json_result_verdict(load_cell_verdict(cell)), "errors",
                  json_result_count(table_cell_sum(cell, load_row_errors, load_row_complete)));
    for (size_t i = 0; i < LOAD_CELL_FIGURES; i++) {
        struct interval figure = load_cell_figure(cell, load_cell_figures[i]);
        json_result_set_interval(json, load_row_table.columns[load_cell_figures[i]].name, &figure);
    }
    return json;
}

json_t *load_table_json(const struct table *rows)
{
    struct table_cells cells = load_rows_cells(rows);
    json_t *list = json_array();
    for (size_t i = 0; i < cells.count; i++)
        json_array_append_new(list, describe_cell(&cells.list[i]));
    table_cells_deinit(&cells);
    return list;
}
