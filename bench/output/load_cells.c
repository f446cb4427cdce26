// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_cells.h"

#include <stdlib.h>

/* One trial of every cell. */
static size_t add_round(struct load_cell *list, const struct load_options *options, uint32_t trial)
{
    size_t count = 0;
    for (size_t topology = 0; topology < options->target.topology_count; topology++) {
        for (size_t mix = 0; mix < load_options_mixes(options); mix++) {
            for (size_t rate = 0; rate < load_options_rates(options); rate++) {
                for (size_t i = 0; i < options->sessions.count; i++)
                    list[count++] = (struct load_cell){
                        .mix = load_options_mix(options, mix),
                        .sessions = (uint32_t)options->sessions.list[i],
                        .rate_per_s = load_options_rate(options, rate),
                        .topology = topology,
                        .trial = trial,
                    };
            }
        }
    }
    return count;
}

enum error_kind load_cells_init(struct load_cells *cells, const struct load_options *options,
                                struct error *error)
{
    size_t round = options->target.topology_count * load_options_mixes(options) *
                   load_options_rates(options) * options->sessions.count;
    struct random random;
    struct load_cell *list = calloc(round * (options->trials + options->rehearses), sizeof *list);
    if (list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "plan", "%zu trials",
                           round * options->trials);
    random_init(&random, options->seed);
    *cells = (struct load_cells){.list = list, .rehearsals = options->rehearses ? round : 0};
    for (uint32_t trial = options->rehearses ? 0 : 1; trial <= options->trials; trial++) {
        struct load_cell *first = list + cells->count;
        cells->count += add_round(first, options, trial);
        random_shuffle(&random, first, round, sizeof *first);
    }
    return ERROR_NONE;
}

void load_cells_deinit(struct load_cells *cells)
{
    free(cells->list);
    *cells = (struct load_cells){0};
}
