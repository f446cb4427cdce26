// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"

#include <math.h>
#include <string.h>

#define GAP           1   /* blanks between two columns */
#define KILOBYTES_MAX 1e6 /* if a trial has more, the column is in megabytes */

/* How a column is written; from WHOLE on it is a figure, which JSON has, too. */
enum form { RECIPE, CLIENTS, VERDICT, WHOLE, ROUNDED, BYTES, SECONDS, MILLISECONDS };

#define SPARE_FIRST 3 /* bytes: the sentences tell how they grow */

static const struct {
    struct grid_column grid;
    enum form form;
    enum figure figure;
} shown[] = {
    {{.title = "recipe"}, RECIPE, 0},
    {{.title = "clients", .right = true}, CLIENTS, 0},
    {{.title = "RPCs", .right = true}, WHOLE, FIGURE_RPCS},
    {{.title = "verdict"}, VERDICT, 0},
    {{.title = "CREATEs", .spare = 2, .right = true}, ROUNDED, FIGURE_CREATES},
    {{.over = "notifi-", .title = "cations", .right = true}, ROUNDED, FIGURE_NOTIFICATIONS},
    {{.title = "kB", .spare = SPARE_FIRST, .right = true}, BYTES, FIGURE_BYTES},
    {{.over = "drain", .title = "s", .right = true}, SECONDS, FIGURE_DRAIN},
    {{.over = "handoff", .title = "p50 ms", .right = true}, MILLISECONDS, FIGURE_HANDOFF_P50},
    {{.over = "handoff", .title = "p99 ms", .spare = 1, .right = true},
     MILLISECONDS,
     FIGURE_HANDOFF_P99},
};
#define SHOWN (sizeof shown / sizeof shown[0])

/* ------------------------------------------------------------------ the table */

/* How the figures of one table are written. */
struct style {
    bool brief;     /* counts but RPCs rounded, with a unit */
    bool megabytes; /* in place of kilobytes */
    bool rounded;   /* a count was */
};

/* What is said of the counts of a cell: equal to the law, not, or without one. A verdict that all
 * cells have stands once, in the conclusion of the run. */
static const char equal_to_law[] = "= law", without_law[] = "-";

/* Rounded "499.5k": seven columns at most. */
static void put_count(struct grid *grid, double count, struct style *style)
{
    static const char units[] = "kMGT";
    size_t unit = 0;
    if (!style->brief || !(count >= 1e5)) {
        grid_put_whole(grid, count);
        return;
    }
    style->rounded = true;
    for (count /= 1e3; count >= 999.95 && units[unit + 1] != '\0'; unit++)
        count /= 1e3;
    grid_put(grid, "%.1f%c", count, units[unit]);
}

static void put_cell(struct grid *grid, const struct outcome_cell *cell, struct style *style)
{
    for (size_t i = 0; i < SHOWN; i++) {
        double figure = cell->figures[shown[i].figure];
        switch (shown[i].form) {
        case RECIPE:
            grid_put(grid, "%s", cell->recipe->name);
            break;
        case CLIENTS:
            grid_put(grid, "%llu", (unsigned long long)cell->clients);
            break;
        case VERDICT:
            grid_put(grid, "%s",
                     cell->fails           ? "FAILS"
                     : cell->complete == 0 ? "not valid"
                     : cell->has_law       ? equal_to_law
                                           : without_law);
            break;
        case WHOLE:
            grid_put_whole(grid, figure);
            break;
        case ROUNDED:
            put_count(grid, figure, style);
            break;
        case BYTES:
            if (style->megabytes && figure < 9.995e6)
                grid_put_real(grid, figure / 1e6, 2);
            else
                grid_put_whole(grid, figure / (style->megabytes ? 1e6 : 1e3));
            break;
        case SECONDS:
            grid_put_real(grid, figure, 3);
            break;
        case MILLISECONDS:
            grid_put_real(grid, figure / 1e3, 2);
            break;
        }
    }
}

/* Fits the table into a width by leaving out columns that may be spared `least` or more. */
static bool lay_out(const struct outcome *outcome, const struct grid_column *columns, size_t width,
                    unsigned least, struct style *style, struct grid *grid)
{
    grid_init(grid, columns, SHOWN, GAP);
    for (size_t i = 0; i < outcome->count; i++)
        put_cell(grid, &outcome->cells[i], style);
    for (size_t i = 0; i < SHOWN; i++)
        grid->hidden[i] = shown[i].form == VERDICT && (grid_all_are(grid, i, equal_to_law) ||
                                                       grid_all_are(grid, i, without_law));
    return grid_fit(grid, width, least);
}

/* A trial may be in the counts of its cell and not in the times, or in neither; a verdict of the
 * cell says so itself. */
static void tell_share(const struct outcome *outcome, FILE *stream)
{
    for (size_t i = 0; i < outcome->count; i++) {
        const struct outcome_cell *cell = &outcome->cells[i];
        size_t trials = cell->trials.count;
        char clients[32];
        if (cell->valid < trials && !cell->fails && cell->complete > 0)
            wrap_sentence(stream, "%s, %s clients: counts of %zu of %zu trial%s, times of %zu",
                          cell->recipe->name,
                          text_format_count(cell->clients, clients, sizeof clients), cell->complete,
                          trials, trials == 1 ? "" : "s", cell->valid);
    }
}

/* The columns that the width has cost. */
static void tell_left_out(const struct grid *grid, FILE *stream)
{
    const char *between = "No room for ";
    for (size_t i = 0; i < SHOWN; i++) {
        if (!grid->hidden[i] || grid->columns[i].spare == 0)
            continue;
        fprintf(stream, "%s%s", between, grid->columns[i].title);
        between = ", ";
    }
    if (between[0] == ',')
        fputs(": see trials.csv.\n", stream);
}

void table_write(const struct outcome *outcome, size_t width, FILE *stream)
{
    struct style style = {0};
    struct grid_column columns[SHOWN];
    struct grid grid;
    for (size_t i = 0; i < outcome->rows->rows; i++)
        style.megabytes = style.megabytes || table_row(outcome->rows, i)[trial_row_bytes].count >=
                                                 (uint64_t)(KILOBYTES_MAX * 1e3);
    for (size_t i = 0; i < SHOWN; i++) {
        columns[i] = shown[i].grid;
        if (shown[i].form == BYTES && style.megabytes)
            columns[i].title = "MB";
    }
    if (!lay_out(outcome, columns, width, SPARE_FIRST, &style, &grid)) {
        style.brief = true;
        grid_deinit(&grid);
        lay_out(outcome, columns, width, 1, &style, &grid);
    }
    grid_write(&grid, width, stream);
    tell_share(outcome, stream);
    tell_left_out(&grid, stream);
    if (style.rounded)
        fputs("k, M, G: rounded; the exact counts are in trials.csv.\n", stream);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ JSON */

json_t *table_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (size_t i = 0; i < outcome->count; i++) {
        const struct outcome_cell *cell = &outcome->cells[i];
        int verdict = cell->fails ? 1 : cell->valid < cell->trials.count ? 4 : 0;
        json_t *json = json_pack(
            "{s:s, s:I, s:I, s:I, s:I, s:s, s:b}", "recipe", cell->recipe->name, "clients",
            (json_int_t)cell->clients, "trials", (json_int_t)cell->trials.count, "trials_complete",
            (json_int_t)cell->complete, "trials_valid", (json_int_t)cell->valid, "verdict",
            json_result_verdict(verdict), "has_law", (int)(cell->has_law && cell->complete > 0));
        for (size_t j = 0; j < SHOWN; j++) {
            size_t column = outcome_figures[shown[j].figure].column;
            double figure = cell->figures[shown[j].figure];
            if (shown[j].form >= WHOLE)
                json_object_set_new(json, trial_row_table.columns[column].name,
                                    shown[j].form >= SECONDS ? json_result_real(figure)
                                                             : json_result_count(figure));
        }
        json_array_append_new(list, json);
    }
    return list;
}

json_t *table_json_stalls(const struct table *rows)
{
    json_int_t count = 0;
    double seconds = 0;
    json_t *trials = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        count += (json_int_t)row[trial_row_stalls].count;
        seconds += row[trial_row_stalled_s].real;
        if (row[trial_row_stalls].count > 0)
            json_array_append_new(trials,
                                  json_pack("{s:s, s:I, s:I, s:I, s:f, s:o}", "recipe",
                                            row[trial_row_recipe].text, "clients",
                                            (json_int_t)row[trial_row_clients].count, "trial",
                                            (json_int_t)row[trial_row_trial].count, "count",
                                            (json_int_t)row[trial_row_stalls].count, "seconds",
                                            row[trial_row_stalled_s].real, "server",
                                            json_result_text(row[trial_row_stalled_server].text)));
    }
    return json_pack("{s:I, s:f, s:o}", "count", count, "seconds", seconds, "trials", trials);
}
