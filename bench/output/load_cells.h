// SPDX-License-Identifier: Apache-2.0
/*
 * load_cells: the trials of a load, and their order. Layer: bench/output.
 *
 * A cell is a mix at a number of sessions and an offered rate on a topology of servers. Every round
 * makes one trial of each cell, in a random order of its own, so that a drift of the machine or of
 * the server affects all cells alike.
 */
#ifndef BENCH_OUTPUT_LOAD_CELLS_H
#define BENCH_OUTPUT_LOAD_CELLS_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <stddef.h>
#include <stdint.h>

struct load_cell {
    struct mix mix;
    uint32_t sessions;
    uint64_t rate_per_s; /* 0: a closed loop */
    size_t topology;     /* index of the target */
    uint32_t trial;      /* from 1; 0: of a rehearsal, not to be kept */
};

struct load_cells {
    struct load_cell *list;
    size_t count;
    size_t rehearsals; /* how many of them, the first, are not to be kept */
};

/* Lays out all trials of the plan; load_cells_deinit frees. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind load_cells_init(struct load_cells *cells,
                                           const struct load_options *options, struct error *error);
void load_cells_deinit(struct load_cells *cells);

#endif
