// SPDX-License-Identifier: Apache-2.0
/* The table of the cells, and the requests of a handoff as bars. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/output/row_grid.h"
#include "bench/run/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* If a cell has more bytes, the column is in megabytes. */
#define KILOBYTES_MAX UINT64_C(1000000)

/* Whether one of `count` levels is among so many that are spread over them evenly, the last of them
 * included: of two or more, number i stands at i (count - 1) / (shown - 1), rounded. */
static bool is_shown(size_t at, size_t count, size_t shown)
{
    if (count <= shown || at == count - 1)
        return true;
    for (size_t i = 0; shown > 1 && i < shown; i++) {
        if ((2 * i * (count - 1) + shown - 1) / (2 * (shown - 1)) == at)
            return true;
    }
    return false;
}

/* The rows to show if a recipe has so many at most; returns how many. */
static size_t choose_rows(const struct outcome *outcome, size_t levels, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++) {
        const struct outcome_recipe *recipe = &outcome->recipes[i];
        for (size_t at = 0; at < recipe->count; at++) {
            if (is_shown(at, recipe->count, levels))
                rows[count++] = recipe->first + at;
        }
    }
    return count;
}

static void print_table(const struct outcome *outcome, const size_t *rows, size_t row_count,
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
        {.column = run_cell_creates, .title = "CREATEs", .shortened = true, .spare = 2},
        {.column = run_cell_notifications,
         .over = "notifi-",
         .title = "cations",
         .shortened = true},
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
        {.column = run_cell_handoff_p50_us,
         .over = "handoff",
         .title = "p50 ms",
         .factor = 1e-3,
         .decimals = 2,
         .mark = run_cell_disturbed,
         .where = ROW_COLUMN_KNOWN},
        {.column = run_cell_handoff_p99_us,
         .over = "handoff",
         .title = "p99 ms",
         .factor = 1e-3,
         .decimals = 2,
         .mark = run_cell_disturbed,
         .spare = 1,
         .where = ROW_COLUMN_KNOWN},
        {.column = run_cell_handoff_max_us,
         .over = "handoff",
         .title = "max ms",
         .factor = 1e-3,
         .decimals = 2,
         .mark = run_cell_disturbed,
         .spare = 4,
         .where = ROW_COLUMN_LACKED},
    };
    const struct row_grid grid = {.table = &outcome->cells,
                                  .rows = rows,
                                  .row_count = row_count,
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

/* The bars of a recipe: the cells with a value, the most clients last. */
static size_t count_bars(const struct outcome *outcome, const struct outcome_recipe *recipe)
{
    size_t bars = 0;
    for (size_t i = recipe->first; i < recipe->first + recipe->count; i++)
        bars += isfinite(table_row(&outcome->cells, i)[run_cell_rpcs_per_handoff].real) != 0;
    return bars;
}

/* What the bars have in common: the largest value, the columns of the texts before them and of the
 * longest bar, and the bars of a recipe at most. */
struct frame {
    double most;
    int name, clients;
    size_t bar, levels;
    bool blocks;
};

static void print_bars_of(const struct outcome *outcome, const struct outcome_recipe *recipe,
                          const struct frame *frame, FILE *stream)
{
    const char *name = recipe->recipe->name;
    size_t bars = count_bars(outcome, recipe), at = 0;
    for (size_t i = recipe->first; i < recipe->first + recipe->count; i++) {
        const struct table_value *row = table_row(&outcome->cells, i);
        char number[VALUE_SIZE], bar[BAR_SIZE], text[VALUE_SIZE];
        double value = row[run_cell_rpcs_per_handoff].real;
        if (!isfinite(value) || !is_shown(at++, bars, frame->levels))
            continue;
        bar_put(value, frame->most, frame->bar, frame->blocks, bar);
        fprintf(stream, "%-*s %*s %s%s%s\n", frame->name, name, frame->clients,
                text_format_count(row[run_cell_clients].count, number, sizeof number), bar,
                bar[0] != '\0' ? " " : "", format_value(value, text));
        name = "";
    }
}

/* All on one linear scale from 0. Nothing if two bars cannot be compared, or there is no room. */
static void print_bars(const struct outcome *outcome, size_t lines, size_t width, bool blocks,
                       FILE *stream)
{
    struct frame frame = {.blocks = blocks};
    size_t all = 0, recipes = 0;
    char text[VALUE_SIZE];
    for (size_t i = 0; i < outcome->cells.rows; i++) {
        const struct table_value *row = table_row(&outcome->cells, i);
        double value = row[run_cell_rpcs_per_handoff].real;
        if (!isfinite(value))
            continue;
        text_format_count(row[run_cell_clients].count, text, sizeof text);
        frame.name = (int)fmax(frame.name, (double)strlen(row[run_cell_recipe].text));
        frame.clients = (int)fmax(frame.clients, (double)strlen(text));
        frame.most = fmax(frame.most, value);
    }
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++) {
        size_t bars = count_bars(outcome, &outcome->recipes[i]);
        all += bars;
        recipes += bars > 0;
    }
    size_t beside = (size_t)frame.name + (size_t)frame.clients + strlen("   ") +
                    strlen(format_value(frame.most, text));
    width = width < TERMINAL_COLUMNS ? width : TERMINAL_COLUMNS;
    if (all < 2 || lines < recipes || lines < 2 || width < beside + BAR_COLUMNS_MIN)
        return;
    frame.bar = width - beside;
    frame.levels = lines / recipes < LEVELS_MAX ? lines / recipes : LEVELS_MAX;
    fputs("\nRPCs per handoff, against clients; all bars on one linear scale\n", stream);
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++)
        print_bars_of(outcome, &outcome->recipes[i], &frame, stream);
}

#define HEADINGS 4 /* lines: two above the table, two above the bars */

/* Where not all rows have room, half of the lines are theirs, a row of each recipe at least. */
void screen_print(const struct outcome *outcome, size_t lines, bool brief, bool blocks,
                  FILE *stream)
{
    size_t width = terminal_columns(STDOUT_FILENO), recipes = outcome->options->plan.recipe_count,
           levels = SIZE_MAX;
    size_t *rows = memory_new(outcome->cells.rows + 1, sizeof *rows);
    lines = lines > HEADINGS ? lines - HEADINGS : 0;
    if (brief && outcome->cells.rows > lines / 2)
        levels = lines / 2 > recipes ? lines / 2 / recipes : 1;
    size_t count = choose_rows(outcome, levels, rows);
    print_table(outcome, rows, count, width, stream);
    print_bars(outcome, lines > count ? lines - count : 0, width, blocks, stream);
    free(rows);
}
