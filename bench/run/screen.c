// SPDX-License-Identifier: Apache-2.0
/* The table of the cells, and the requests of a handoff as bars. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/output/row_grid.h"
#include "bench/run/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* If a cell has more bytes, the column is in megabytes. */
#define KILOBYTES_MAX UINT64_C(1000000)

/* Whether level `at` is one of `shown` levels that are spread evenly over `count`, the ends
 * included; of one, the last. */
static bool is_shown(size_t at, size_t count, size_t shown)
{
    return count <= shown || at == count - 1 ||
           (shown > 1 &&
            (at == 0 || at * (shown - 1) / (count - 1) != (at - 1) * (shown - 1) / (count - 1)));
}

static double rpcs_per_handoff(const struct outcome *outcome, size_t cell)
{
    return table_row(&outcome->cells, cell)[run_cell_rpcs_per_handoff].real;
}

/* Chooses the cells to show, at most `levels` of a recipe; bars: of those that have a bar, *most in
 * all. Returns their number; the list has room for all. */
static size_t choose_cells(const struct outcome *outcome, size_t levels, bool bars, size_t *cells,
                           size_t *most)
{
    size_t count = 0;
    *most = 0;
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++) {
        const struct outcome_recipe *recipe = &outcome->recipes[i];
        size_t *of = cells + count, all = 0;
        for (size_t cell = recipe->first; cell < recipe->first + recipe->count; cell++) {
            if (!bars || isfinite(rpcs_per_handoff(outcome, cell)))
                of[all++] = cell;
        }
        *most += all;
        for (size_t at = 0; at < all; at++) {
            if (is_shown(at, all, levels))
                cells[count++] = of[at];
        }
    }
    return count;
}

#define HANDOFF_MS(what)                                                                           \
    .column = run_cell_handoff_##what##_us, .over = "handoff", .title = #what " ms",               \
    .factor = 1e-3, .decimals = 2, .mark = run_cell_disturbed

static void print_table(const struct outcome *outcome, const size_t *cells, size_t count,
                        size_t width, FILE *stream)
{
    bool large = false;
    for (size_t i = 0; i < outcome->cells.rows; i++)
        large =
            large || table_row(&outcome->cells, i)[run_cell_bytes].count >= KILOBYTES_MAX * 1000;
    const struct row_column columns[] = {
        {.column = run_cell_recipe},
        {.column = run_cell_clients},
        {.column = run_cell_rpcs, .title = "RPCs"},
        {.column = run_cell_verdict, .where = ROW_COLUMN_DIFFERS},
        {.column = run_cell_creates, .title = "CREATEs", .spare = 2},
        {.column = run_cell_notifications, .over = "notifi-", .title = "cations"},
        {.column = run_cell_bytes,
         .title = large ? "MB" : "kB",
         .factor = large ? 1e-6 : 1e-3,
         .spare = 3},
        {.column = run_cell_drain_s,
         .over = "drain",
         .title = "s",
         .decimals = 3,
         .mark = run_cell_disturbed,
         .where = ROW_COLUMN_KNOWN},
        {HANDOFF_MS(p50), .where = ROW_COLUMN_KNOWN},
        {HANDOFF_MS(p99), .spare = 1, .where = ROW_COLUMN_KNOWN},
        {HANDOFF_MS(max), .spare = 4, .where = ROW_COLUMN_LACKED},
    };
    const struct row_grid grid = {.table = &outcome->cells,
                                  .rows = cells,
                                  .row_count = count,
                                  .columns = columns,
                                  .column_count = sizeof columns / sizeof columns[0],
                                  .gap = 1};
    row_grid_write(&grid, width, stream);
}

/* ------------------------------------------------------------------ bars */

#define BAR_COLUMNS_MIN 10
#define LEVELS_MAX      8 /* bars of a recipe, at most */
#define VALUE_SIZE      32

/* "5.0", "1,001". */
static const char *format_value(double value, char text[VALUE_SIZE])
{
    if (value < 999.95)
        snprintf(text, VALUE_SIZE, "%.1f", value);
    else
        text_format_count((uint64_t)llround(value), text, VALUE_SIZE);
    return text;
}

/* A bar for each cell, all on one linear scale from 0. Nothing if two bars cannot be compared, or
 * there is no room. cells: room for all of them. */
static void print_bars(const struct outcome *outcome, size_t *cells, size_t lines, size_t width,
                       FILE *stream)
{
    size_t recipes = outcome->options->plan.recipe_count, levels = lines / recipes, all;
    size_t count =
        choose_cells(outcome, levels < LEVELS_MAX ? levels : LEVELS_MAX, true, cells, &all);
    int names = 0, sizes = 0;
    double most = 0;
    char clients[VALUE_SIZE], value[VALUE_SIZE], bar[BAR_SIZE];
    const char *last = "";
    for (size_t i = 0; i < count; i++) {
        const struct table_value *row = table_row(&outcome->cells, cells[i]);
        int name = (int)strlen(row[run_cell_recipe].text),
            size = (int)strlen(
                text_format_count(row[run_cell_clients].count, clients, sizeof clients));
        names = name > names ? name : names;
        sizes = size > sizes ? size : sizes;
        most = fmax(most, rpcs_per_handoff(outcome, cells[i]));
    }
    size_t beside = (size_t)(names + sizes) + strlen("   ") + strlen(format_value(most, value));
    width = width < TERMINAL_COLUMNS ? width : TERMINAL_COLUMNS;
    if (levels == 0 || count < 2 || width < beside + BAR_COLUMNS_MIN)
        return;
    fputs("\nRPCs per handoff, against clients; all bars on one linear scale", stream);
    if (count < all)
        fprintf(stream, " (%zu of %zu)", count, all);
    fputc('\n', stream);
    for (size_t i = 0; i < count; i++) {
        const struct table_value *row = table_row(&outcome->cells, cells[i]);
        const char *name = row[run_cell_recipe].text;
        double rpcs = rpcs_per_handoff(outcome, cells[i]);
        bar_format(rpcs, most, width - beside, bar);
        fprintf(stream, "%-*s %*s %s%s%s\n", names, strcmp(name, last) != 0 ? name : "", sizes,
                text_format_count(row[run_cell_clients].count, clients, sizeof clients), bar,
                bar[0] != '\0' ? " " : "", format_value(rpcs, value));
        last = name;
    }
}

static bool is_one_disturbed(const struct outcome *outcome, const size_t *cells, size_t count)
{
    size_t i = 0;
    while (i < count && !table_row(&outcome->cells, cells[i])[run_cell_disturbed].flag)
        i++;
    return i < count;
}

#define HEADINGS 4 /* lines: two above the table, two above the bars */

/* Where not all cells have room, half of the lines are theirs, a row of each recipe at least. */
void screen_print(const struct outcome *outcome, size_t lines, bool brief, FILE *stream)
{
    size_t width = terminal_columns(STDOUT_FILENO), recipes = outcome->options->plan.recipe_count,
           levels = SIZE_MAX;
    size_t *cells = memory_new(outcome->cells.rows + 1, sizeof *cells);
    lines = lines > HEADINGS ? lines - HEADINGS : 0;
    if (brief && outcome->cells.rows > lines / 2)
        levels = lines / 2 > recipes ? lines / 2 / recipes : 1;
    size_t all, count = choose_cells(outcome, levels, false, cells, &all), used = count;
    print_table(outcome, cells, count, width, stream);
    if (count < all) {
        fprintf(stream, "%zu of %zu rows; without --brief all\n", count, all);
        used++;
    }
    if (brief && is_one_disturbed(outcome, cells, count)) { /* else a finding says it */
        fputs("~: a time that other programs may have disturbed\n", stream);
        used++;
    }
    print_bars(outcome, cells, lines > used ? lines - used : 0, width, stream);
    free(cells);
}
