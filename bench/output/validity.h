// SPDX-License-Identifier: Apache-2.0
/*
 * validity: whether the times of a trial can be used, and why not. Layer: bench/output.
 *
 * Invariant: every reason is kept, one behind the other; the counts of a trial whose times cannot
 * be used still stand.
 */
#ifndef BENCH_OUTPUT_VALIDITY_H
#define BENCH_OUTPUT_VALIDITY_H

#include "base/text.h"
#include "trial/trial.h"

#include <stdbool.h>

/* A percentile as far out as p99.9 needs so many values to mean anything. */
#define VALIDITY_P999_LEAST 10000

/* All zero bytes: nothing speaks against the times. */
struct validity {
    bool lost;
    char reason[832]; /* clauses (base/text.h), cut to fit */
};

/* The times cannot be used, for this reason among others. */
#define validity_lose(validity, ...)                                                               \
    ((validity)->lost = true,                                                                      \
     text_append_clause((validity)->reason, sizeof(validity)->reason, __VA_ARGS__))

/* Gives the reasons for which the times of a trial that ran to its end on servers, with so many
 * cores for zkherd, may not be those of the servers: a server stalled, a connection was lost, or
 * the driver itself may have been the limit. */
void validity_judge_trial(const struct trial_result *result, double cores_allowed,
                          struct validity *validity);

#endif
