// SPDX-License-Identifier: Apache-2.0
/*
 * waiters: the cost of a handoff by the number of its waiters. Layer: bench/run.
 *
 * Collects the handoffs of all trials of one recipe: counts for each number of waiters W, latencies
 * for each octave of W (1, 2-3, 4-7, …). Arrivals (handoff 0) and releases without a waiter are not
 * handoffs.
 *
 * Each trial gives one median. Their geometric mean and its interval are over trials, because the
 * handoffs of one trial are correlated. The 99th percentile, for which one trial has too few
 * handoffs, describes all handoffs of an octave together.
 */
#ifndef BENCH_RUN_WAITERS_H
#define BENCH_RUN_WAITERS_H

#include "base/error.h"
#include "measure/csv.h"
#include "measure/histogram.h"
#include "measure/statistics.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITERS_OCTAVES   20
#define WAITERS_P99_LEAST 100 /* handoffs, for a 99th percentile */

struct waiters_level {
    uint64_t handoffs;
    uint64_t creates;
    uint64_t notifications;
    uint64_t rpcs;
    uint64_t lawful; /* handoffs for which the law predicts the two counts below */
    uint64_t law_creates;
    uint64_t law_notifications;
    uint64_t timed;    /* handoffs of trials whose times are valid */
    double handoff_us; /* the sum over the timed handoffs */
    /* Of several levels: the waiters of all handoffs, and of the timed ones, added up. */
    uint64_t waiters, timed_waiters;
};

struct waiters_octave {
    struct histogram latency;
    double *medians_us; /* of each trial with handoffs in this octave */
    size_t median_count;
};

struct waiters {
    const struct recipe *recipe;
    struct waiters_level *levels; /* by W; index 0 is not used */
    size_t level_count;
    struct waiters_octave octaves[WAITERS_OCTAVES];
};

/* For handoffs with at most most_waiters waiters. */
MUST_CHECK enum error_kind waiters_new(const struct recipe *recipe, uint64_t most_waiters,
                                       struct waiters **waiters, struct error *error);
void waiters_free(struct waiters *waiters);

/*
 * Adds the handoffs of a trial, and their times if the trial is `timed`. *beta becomes the cost of
 * one more waiter in this trial, in bare handoffs: that of the line handoff = (1 + beta·W) / gamma
 * through the medians of the octaves; NaN with fewer than two medians.
 */
MUST_CHECK enum error_kind waiters_add(struct waiters *waiters, const struct trial_result *result,
                                       bool timed, double *beta, struct error *error);

/* Adds up all levels of an octave. */
struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave);

/* The columns of waiters.csv, and the rows of a recipe: one for each octave with a handoff. */
extern const char waiters_columns[];
void waiters_write(const struct waiters *waiters, const char *run, struct csv *csv);

#endif
