// SPDX-License-Identifier: Apache-2.0
/*
 * drain: the times of a drain in free pace, on servers or in a simulation. Layer: bench/model.
 *
 * Each client acquires its lock once and holds it for no time. Two times describe the drain: from
 * the first release to the answer to the last, and the median handoff.
 *
 * Invariant: a measured drain and a simulated one have the same plan, and are read in the same way.
 */
#ifndef BENCH_MODEL_DRAIN_H
#define BENCH_MODEL_DRAIN_H

#include "sim/options.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drain_cell {
    const struct recipe *recipe;
    uint32_t clients; /* of all locks together */
    uint32_t locks;   /* at most as many as clients */
};

enum drain_time { DRAIN_TOTAL, DRAIN_HANDOFF, DRAIN_TIMES };

/* "drain", "handoff p50"; a static string. */
const char *drain_word(enum drain_time time);

bool drain_same_cell(const struct drain_cell *a, const struct drain_cell *b);

/* What a trial of the cell is to do. The driver, processes, timeouts, seed and servers of the
 * fleet, and the root znode, are the caller's to set. */
struct trial_plan drain_plan(const struct drain_cell *cell);

/* The times of a trial that was led to its end, in seconds; NaN: there was no handoff. */
void drain_read(const struct trial_result *result, double times_s[DRAIN_TIMES]);

/*
 * The same of a simulation with these options; the seed of its jitter is `seed`. interrupts: a
 * descriptor that is readable when the simulation is to be given up, or -1. Errors of trial_run,
 * and ERROR_ZOOKEEPER if the drain did not end well.
 */
MUST_CHECK enum error_kind drain_simulate(const struct sim_options *options,
                                          const struct drain_cell *cell, uint64_t seed,
                                          int interrupts, double times_s[DRAIN_TIMES],
                                          struct error *error);

/* The geometric means of DRAIN_SEEDS such simulations, always with the same seeds: a function of
 * the costs alone. The same errors. */
#define DRAIN_SEEDS 4
MUST_CHECK enum error_kind drain_expect(const struct sim_options *options,
                                        const struct drain_cell *cell, int interrupts,
                                        double times_s[DRAIN_TIMES], struct error *error);

#endif
