// SPDX-License-Identifier: Apache-2.0
/*
 * trial_times: whether the times of a trial of locks are those of the servers. Layer: bench/output.
 *
 * Times do not stand if a server stalled, a connection was lost, or the driver itself may have been
 * the limit. The counts of such a trial stand.
 */
#ifndef BENCH_OUTPUT_TRIAL_TIMES_H
#define BENCH_OUTPUT_TRIAL_TIMES_H

#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the times of a trial stand that was led to its end on servers, with so many cores for
 * zkherd. Each reason against them is appended to `reason`, as a clause (base/text.h). */
bool trial_times_stand(const struct trial_result *result, double cores_allowed, char *reason,
                       size_t size);

#endif
