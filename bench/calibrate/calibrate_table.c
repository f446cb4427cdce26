// SPDX-License-Identifier: Apache-2.0
#include "bench/calibrate/calibrate_table.h"

#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/cli/wrap.h"

#include <math.h>
#include <unistd.h>

#define GAP 2 /* blanks between two columns */

/* A standard deviation of the logarithm: with it the costs tell little. */
#define MUCH_SCATTER 1.0

/* ------------------------------------------------------------------ the costs */

static const struct grid_column cost_columns[] = {
    {.title = "cost"},
    {.title = "us", .right = true},
    {.title = "95 % interval", .right = true},
    {.title = ""},
};

#define COST_COLUMNS (sizeof cost_columns / sizeof cost_columns[0])

static const char *remark(const struct calibration_cost *cost)
{
    if (cost->sd == 0)
        return "not estimated";
    return cost->determined ? "" : "not determined by these drains";
}

static enum error_kind write_costs(const struct costs_file *costs, FILE *stream,
                                   struct error *error)
{
    struct grid grid;
    grid_init(&grid, cost_columns, COST_COLUMNS, GAP);
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        const struct interval cost = costs_file_cost(costs, i);
        grid_put(&grid, "%s", cost_list_name(i));
        grid_put(&grid, "%.3g", cost.value / 1e3);
        if (isfinite(cost.low))
            grid_put(&grid, "%.3g-%.3g", cost.low / 1e3, cost.high / 1e3);
        else
            grid_put(&grid, GRID_UNKNOWN);
        grid_put(&grid, "%s", remark(&costs->fit.costs[i]));
    }
    enum error_kind kind = grid_write(&grid, terminal_columns(STDOUT_FILENO), stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the cells */

static const struct grid_column cell_columns[] = {
    {.title = "recipe"},
    {.title = "clients", .right = true},
    {.over = "drain, ms", .title = "measured", .right = true},
    {.title = "fitted", .right = true},
    {.title = "ratio", .right = true},
    {.over = "handoff p50, ms", .title = "measured", .right = true},
    {.title = "fitted", .right = true},
    {.title = "ratio", .right = true},
};

#define CELL_COLUMNS (sizeof cell_columns / sizeof cell_columns[0])

static void put_time(struct grid *grid, const struct costs_cell *cell, enum drain_time time)
{
    double measured_ms = cell->measured_s[time] * 1e3, fitted_ms = cell->fitted_s[time] * 1e3;
    grid_put_real(grid, measured_ms, measured_ms < 99.95 ? 2 : 0);
    grid_put_real(grid, fitted_ms, fitted_ms < 99.95 ? 2 : 0);
    grid_put_real(grid, fitted_ms / measured_ms, 2);
}

static enum error_kind write_cells(const struct costs_file *costs, FILE *stream,
                                   struct error *error)
{
    struct grid grid;
    grid_init(&grid, cell_columns, CELL_COLUMNS, 1);
    for (size_t i = 0; i < costs->cell_count; i++) {
        const struct costs_cell *cell = &costs->cells[i];
        grid_put(&grid, "%s", cell->drain.recipe->name);
        grid_put(&grid, "%u", cell->drain.clients);
        put_time(&grid, cell, DRAIN_TOTAL);
        put_time(&grid, cell, DRAIN_HANDOFF);
    }
    enum error_kind kind = grid_write(&grid, terminal_columns(STDOUT_FILENO), stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static void write_quality(const struct costs_file *costs, FILE *stream)
{
    wrap_sentence(stream,
                  "Trials of one cell scatter by a factor of %.2f (drain) and %.2f (handoff p50); "
                  "beyond that, the simulation differs from the servers by a factor of %.2f "
                  "(geometric standard deviations).%s",
                  exp(costs->trial_sd[DRAIN_TOTAL]), exp(costs->trial_sd[DRAIN_HANDOFF]),
                  exp(costs->fit.model_sd),
                  costs->fit.converged ? "" : " The fit did not converge.");
}

enum error_kind calibrate_table_write(const struct costs_file *costs, FILE *stream,
                                      struct error *error)
{
    enum error_kind kind = write_costs(costs, stream, error);
    if (kind != ERROR_NONE)
        return kind;
    fputc('\n', stream);
    kind = write_cells(costs, stream, error);
    if (kind != ERROR_NONE)
        return kind;
    fputc('\n', stream);
    write_quality(costs, stream);
    return ERROR_NONE;
}

bool calibrate_table_warns(const struct costs_file *costs, enum drain_time time, char *text,
                           size_t size)
{
    if (costs->trial_sd[time] <= MUCH_SCATTER)
        return false;
    snprintf(text, size,
             "the trials of one cell scatter by a factor of %.1f (%s, geometric standard "
             "deviation): the costs tell little; calibrate again when nothing else runs here, with "
             "more trials or a longer --warm-up",
             exp(costs->trial_sd[time]), drain_word(time));
    return true;
}
