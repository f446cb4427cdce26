// SPDX-License-Identifier: Apache-2.0
/*
 * waiters: the cost of a handoff by the number W of its waiters, over all trials of a recipe.
 * Layer: bench/run.
 *
 * Counts are kept for each W, latencies for each octave of W (1, 2-3, 4-7, …). Each trial gives one
 * median, for its handoffs are correlated, and the geometric mean is over trials.
 *
 * Invariant: arrivals (handoff 0) and releases without a waiter are no handoffs.
 */
#ifndef BENCH_RUN_WAITERS_H
#define BENCH_RUN_WAITERS_H

#include "base/error.h"
#include "measure/histogram.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITERS_OCTAVES 20

/* Sums; of several levels `waiters` and `timed_waiters` are the waiters of all their handoffs. */
struct waiters_level {
    uint64_t handoffs, creates, notifications, rpcs, waiters;
    uint64_t lawful; /* handoffs for which the law predicts the two counts behind it */
    uint64_t law_creates, law_notifications;
    uint64_t timed, timed_waiters; /* of trials whose times are valid */
    double handoff_us;             /* the sum over the timed handoffs */
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

MUST_CHECK enum error_kind waiters_new(const struct recipe *recipe, uint64_t most_waiters,
                                       struct waiters **waiters, struct error *error);
void waiters_free(struct waiters *waiters);

/* Adds the handoffs of a trial, and their times if it is `timed`. *beta becomes the cost of one
 * more waiter in this trial, in bare handoffs: that of the line handoff = (1 + beta·W) / gamma
 * through the medians of the octaves; NaN with fewer than two medians. */
MUST_CHECK enum error_kind waiters_add(struct waiters *waiters, const struct trial_result *result,
                                       bool timed, double *beta, struct error *error);

struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave);

#endif
