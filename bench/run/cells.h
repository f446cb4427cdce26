// SPDX-License-Identifier: Apache-2.0
/*
 * cells: which trials a run makes, in which order, and how long they may take. Layer: bench/run.
 *
 * A cell is a recipe at a number of clients on a topology of servers. Every round makes one trial
 * of each cell, in a random order of its own: what drifts on the machine or in the server then
 * touches all cells alike.
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
    size_t topology; /* which of the run's targets */
    uint64_t rpcs;   /* by the law: exact under lockstep, a guide otherwise */
    uint64_t bytes;  /* sent and received: at most, for what the law counts */
};

#define CELLS_EXPERIENCE_MAX ((size_t)OPTIONS_RECIPES_MAX * OPTIONS_TOPOLOGIES_MAX)

/* What the trials of a recipe on a topology have taken so far. */
struct experience {
    const struct recipe *recipe;
    size_t topology;
    uint64_t rpcs;
    uint64_t took_ns;
};

struct cells {
    struct cell *list;
    size_t count;
    struct experience experience[CELLS_EXPERIENCE_MAX];
    size_t experience_count;
};

MUST_CHECK enum error_kind cells_init(struct cells *cells, const struct options *options,
                                      struct error *error);
void cells_deinit(struct cells *cells);

/* All requests of the cells from index `from` on, and about how long they will take (0 if nothing
 * is known). */
uint64_t cells_rpcs(const struct cells *cells, size_t from);
uint64_t cells_time_left_ns(const struct cells *cells, size_t from);

/* The discarded trial of the plan's recipe of this index: a drain of few clients on one lock. Its
 * trial is 0. */
struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology);

/* The sum of the cells' bytes. */
uint64_t cells_bytes(const struct cells *cells);

/* A trial of such a cell made so many requests in this time. */
void cells_learn(struct cells *cells, const struct cell *cell, uint64_t rpcs, uint64_t took_ns);

#endif
