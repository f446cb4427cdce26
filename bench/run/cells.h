// SPDX-License-Identifier: Apache-2.0
/*
 * cells: the trials of a run, their order, and their estimated time. Layer: bench/run.
 *
 * A cell is a recipe at a number of clients on a topology of servers. Every round makes one trial
 * of each cell, in a random order of its own, so that a drift of the machine or of the server
 * affects all cells alike.
 */
#ifndef BENCH_RUN_CELLS_H
#define BENCH_RUN_CELLS_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <stddef.h>
#include <stdint.h>

struct cell {
    const struct recipe *recipe;
    uint32_t clients;
    uint32_t trial;  /* from 1 */
    size_t topology; /* index of the target */
    uint64_t rpcs;   /* by the law: exact under lockstep, an estimate otherwise */
    uint64_t bytes;  /* sent and received: an upper bound for the messages of the law */
};

#define CELLS_EXPERIENCE_MAX ((size_t)OPTIONS_RECIPES_MAX * OPTIONS_TOPOLOGIES_MAX)

/* The requests and the time of the finished trials of a recipe on a topology. */
struct experience {
    const struct recipe *recipe;
    size_t topology;
    uint64_t rpcs;
    uint64_t took_ns;
};

struct cells {
    struct cell *list;
    size_t count;
    uint64_t trial_ns; /* with --duration: of each trial, with what --background adds; else 0 */
    struct experience experience[CELLS_EXPERIENCE_MAX];
    size_t experience_count;
};

MUST_CHECK enum error_kind cells_init(struct cells *cells, const struct options *options,
                                      struct error *error);
void cells_deinit(struct cells *cells);

/* The requests of the cells from index `from` on, and their time (0: unknown): with --duration that
 * of the options, else an estimate from the finished trials. */
uint64_t cells_rpcs(const struct cells *cells, size_t from);
uint64_t cells_time_left_ns(const struct cells *cells, size_t from);

/* The cell of the discarded trial of recipe `recipe`: a drain of few clients on one lock, with
 * trial 0. */
struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology);

/* The sum of the cells' bytes. */
uint64_t cells_bytes(const struct cells *cells);

/* Takes a finished trial of a cell into account: its requests and its time. */
void cells_learn(struct cells *cells, const struct cell *cell, uint64_t rpcs, uint64_t took_ns);

#endif
