// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/plan_prediction_cells.h"

#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/cli/wrap.h"

#include <math.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the verdict */

bool plan_prediction_cells_measured(const struct plan_prediction_cell *cell, size_t time)
{
    return cell->measured.trials > 0 && isfinite(cell->measured.times_s[time]);
}

bool plan_prediction_cells_covered(const struct plan_prediction_cell *cell, size_t time)
{
    return prediction_covers(&cell->predicted.times_s[time], cell->measured.times_s[time]);
}

struct plan_prediction_score plan_prediction_cells_score(const struct plan_prediction_cells *cells)
{
    struct plan_prediction_score score = {0};
    for (size_t i = 0; i < cells->count; i++) {
        const struct plan_prediction_cell *cell = &cells->list[i];
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            if (!plan_prediction_cells_measured(cell, time))
                continue;
            score.count++;
            score.covered += plan_prediction_cells_covered(cell, time);
            score.worst =
                fmax(score.worst,
                     fabs(cell->predicted.times_s[time].value / cell->measured.times_s[time] - 1));
        }
    }
    return score;
}

bool plan_prediction_score_passes(const struct plan_prediction_score *score)
{
    return score->count > 0 && score->covered * 10 >= score->count * 8;
}

/* ------------------------------------------------------------------ the table */

enum {
    COLUMN_RECIPE,
    COLUMN_CLIENTS,
    COLUMN_LOCKS,
    COLUMN_SERVERS,
    COLUMN_TIME,
    COLUMN_PREDICTED,
    COLUMN_INTERVAL,
    COLUMN_MEASURED,
    COLUMN_COVERED,
    TABLE_COLUMNS
};

static const struct grid_column columns[TABLE_COLUMNS] = {
    [COLUMN_RECIPE] = {.title = "recipe"},
    [COLUMN_CLIENTS] = {.title = "clients", .right = true},
    [COLUMN_LOCKS] = {.title = "locks", .right = true},
    [COLUMN_SERVERS] = {.title = "servers", .right = true},
    [COLUMN_TIME] = {.title = "ms"},
    [COLUMN_PREDICTED] = {.title = "predicted", .right = true},
    [COLUMN_INTERVAL] = {.title = "95 % interval", .right = true},
    [COLUMN_MEASURED] = {.title = "measured", .right = true},
    [COLUMN_COVERED] = {.title = "covered"},
};

/* Three significant digits. */
static const char *put_ms(double time_s, char text[32])
{
    double ms = time_s * 1e3;
    int decimals = ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    snprintf(text, 32, "%.*f", decimals, ms);
    return text;
}

static void put_row(const struct plan_prediction_cell *cell, enum drain_time time,
                    struct grid *grid)
{
    const struct interval *predicted = &cell->predicted.times_s[time];
    char value[32], low[32], high[32];
    grid_put(grid, "%s", cell->drain.recipe->name);
    grid_put(grid, "%u", cell->drain.clients);
    grid_put(grid, "%u", cell->drain.locks);
    grid_put(grid, "%u", cell->servers);
    grid_put(grid, "%s", drain_word(time));
    if (isfinite(predicted->value)) {
        grid_put(grid, "%s", put_ms(predicted->value, value));
        grid_put(grid, "%s-%s", put_ms(predicted->low, low), put_ms(predicted->high, high));
    } else {
        grid_put(grid, GRID_UNKNOWN);
        grid_put(grid, GRID_UNKNOWN);
    }
    bool measured = plan_prediction_cells_measured(cell, time);
    grid_put(grid, "%s", measured ? put_ms(cell->measured.times_s[time], value) : GRID_UNKNOWN);
    grid_put(grid, "%s",
             !measured                                   ? GRID_UNKNOWN
             : plan_prediction_cells_covered(cell, time) ? "yes"
                                                         : "NO");
}

static enum error_kind print_table(const struct plan_prediction_cells *cells, FILE *stream,
                                   struct error *error)
{
    struct grid grid;
    grid_init(&grid, columns, TABLE_COLUMNS, 2);
    for (size_t i = 0; i < cells->count; i++) {
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            put_row(&cells->list[i], time, &grid);
    }
    grid.hidden[COLUMN_LOCKS] = grid_all_are(&grid, COLUMN_LOCKS, "1");
    grid.hidden[COLUMN_MEASURED] = grid.hidden[COLUMN_COVERED] = !cells->validates;
    enum error_kind kind = grid_write(&grid, terminal_columns(STDOUT_FILENO), stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ what to know about it */

static bool has_other_servers(const struct plan_prediction_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->list[i].servers != cells->costs->holds_for.server_count)
            return true;
    }
    return false;
}

static bool is_calibrated(const struct costs_file *costs, const struct recipe *recipe)
{
    for (size_t i = 0; i < costs->cell_count; i++) {
        if (costs->cells[i].drain.recipe == recipe)
            return true;
    }
    return false;
}

static bool has_other_recipes(const struct plan_prediction_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (!is_calibrated(cells->costs, cells->list[i].drain.recipe))
            return true;
    }
    return false;
}

static void tell_limits(const struct plan_prediction_cells *cells, FILE *stream)
{
    const struct costs_file *costs = cells->costs;
    wrap_sentence(stream,
                  "The costs were fitted to at most %u clients, on %u server%s. The intervals do "
                  "not know what the simulation leaves out and the calibration did not meet%s%s.",
                  costs_file_most_clients(costs), costs->holds_for.server_count,
                  costs->holds_for.server_count == 1 ? "" : "s",
                  has_other_servers(cells) ? "; other numbers of servers were not measured" : "",
                  has_other_recipes(cells) ? "; some of these recipes were not measured" : "");
}

static void tell_score(const struct plan_prediction_cells *cells, FILE *stream)
{
    const struct plan_prediction_score score = plan_prediction_cells_score(cells);
    wrap_sentence(stream,
                  "%zu of %zu intervals cover what was measured: %s (at least 8 of 10 must). The "
                  "worst prediction is off by %.0f %%.",
                  score.covered, score.count,
                  plan_prediction_score_passes(&score) ? "passes" : "FAILS", 100 * score.worst);
}

void plan_prediction_cells_explain(const struct plan_prediction_cells *cells, FILE *stream)
{
    if (cells->validates)
        tell_score(cells, stream);
    else
        tell_limits(cells, stream);
}

enum error_kind plan_prediction_cells_print(const struct plan_prediction_cells *cells, FILE *stream,
                                            struct error *error)
{
    enum error_kind kind = print_table(cells, stream, error);
    if (kind != ERROR_NONE)
        return kind;
    fputc('\n', stream);
    plan_prediction_cells_explain(cells, stream);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the file */

const char *plan_prediction_cells_word(enum drain_time time)
{
    return time == DRAIN_TOTAL ? "drain" : "handoff_p50";
}

#define COLUMNS(X)                                                                                 \
    X(costs, csv_text(csv, cells->costs_path))                                                     \
    X(recipe, csv_text(csv, cell->drain.recipe->name))                                             \
    X(clients, csv_count(csv, cell->drain.clients))                                                \
    X(locks, csv_count(csv, cell->drain.locks))                                                    \
    X(servers, csv_count(csv, cell->servers))                                                      \
    X(time, csv_text(csv, plan_prediction_cells_word(time)))                                       \
    X(predicted_s, csv_real(csv, predicted->value, 9))                                             \
    X(low_s, csv_real(csv, predicted->low, 9))                                                     \
    X(high_s, csv_real(csv, predicted->high, 9))                                                   \
    X(trials, csv_count_if(csv, measured, cell->measured.trials))                                  \
    X(measured_s, csv_real(csv, measured ? cell->measured.times_s[time] : NAN, 9))                 \
    X(covered, csv_text(csv, !measured                                   ? NULL                    \
                             : plan_prediction_cells_covered(cell, time) ? "yes"                   \
                                                                         : "no"))

static void write_row(const struct plan_prediction_cells *cells,
                      const struct plan_prediction_cell *cell, enum drain_time time,
                      struct csv *csv)
{
    const struct interval *predicted = &cell->predicted.times_s[time];
    bool measured = plan_prediction_cells_measured(cell, time);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void plan_prediction_cells_write(const struct plan_prediction_cells *cells, struct csv *csv)
{
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < cells->count; i++) {
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            write_row(cells, &cells->list[i], time, csv);
    }
}
