// SPDX-License-Identifier: Apache-2.0
#include "bench/run/run_json.h"

#include "bench/output/json_result.h"
#include "bench/output/record_json.h"
#include "bench/run/cell_figures.h"

static int verdict_of(const struct cell_figures *cell)
{
    return cell->fails ? 1 : cell->valid < cell->trials ? 4 : 0;
}

static json_t *describe(const struct cell_figures *cell)
{
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "recipe",
        cell->recipe->name, "clients", (json_int_t)cell->clients, "trials",
        (json_int_t)cell->trials, "trials_complete", (json_int_t)cell->complete, "trials_valid",
        (json_int_t)cell->valid, "verdict", record_json_verdict(verdict_of(cell)), "has_law",
        (int)(cell->has_law && cell->complete > 0), "rpcs", json_result_count(cell->rpcs),
        "creates", json_result_count(cell->creates), "notifications",
        json_result_count(cell->notifications), "bytes", json_result_count(cell->bytes), "drain_s",
        json_result_real(cell->drain_s), "handoff_p50_us", json_result_real(cell->handoff_p50_us),
        "handoff_p99_us", json_result_real(cell->handoff_p99_us));
}

json_t *run_json_cells(const struct samples *samples, const struct options *options)
{
    json_t *cells = json_array();
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            struct cell_figures cell;
            if (cell_figures_take(samples, options->plan.recipes[r], options->plan.clients.list[i],
                                  &cell))
                json_array_append_new(cells, describe(&cell));
        }
    }
    return cells;
}
