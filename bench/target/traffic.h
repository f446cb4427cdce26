// SPDX-License-Identifier: Apache-2.0
/*
 * traffic: what a trial of locks sends and receives, computed before it is run. Layer:
 * bench/target.
 *
 * Invariant: requests are those of the recipe's law: exact under lockstep, an estimate otherwise.
 */
#ifndef BENCH_TARGET_TRAFFIC_H
#define BENCH_TARGET_TRAFFIC_H

#include "trial/trial_plan.h"

#include <stddef.h>
#include <stdint.h>

struct traffic {
    uint64_t rpcs;
    uint64_t bytes; /* sent and received: an upper bound for the messages of the law */
};

/* Of a plan with recipe, workload, sessions, locks and handoffs; when the time decides, of one
 * grant of each client. chroot_length: of the servers' chroot. */
struct traffic traffic_of(const struct trial_plan *plan, size_t chroot_length);

#endif
