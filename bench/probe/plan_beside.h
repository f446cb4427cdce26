// SPDX-License-Identifier: Apache-2.0
/*
 * plan_beside: the load of --background beside a trial of a search. Layer: bench/probe.
 *
 * Its requests count from the steady state of the trial on (plan_probe.h), until the trial has
 * enough; then the load sends nothing more, while the trial comes to its end.
 *
 * Invariant: a trial without --background has no load, and figures of all zero bytes.
 */
#ifndef BENCH_PROBE_PLAN_BESIDE_H
#define BENCH_PROBE_PLAN_BESIDE_H

#include "bench/probe/plan_probe.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero bytes before a trial; must not be moved while it goes on. */
struct plan_beside {
    struct background background;
    struct background_figures figures; /* after the trial */
};

/* Runs the trial of a probe, with its load, if there is one. *result is NULL if the load has ended
 * before the trial could begin. Errors of background_run and of trial_run. */
MUST_CHECK enum error_kind plan_beside_run(struct plan_beside *beside,
                                           const struct plan_probe *probe,
                                           const struct trial_plan *plan,
                                           const struct trial_host *host,
                                           struct trial_result **result, struct error *error);

/* For the callback has_enough of the trial. */
bool plan_beside_has_enough(struct plan_beside *beside, const struct plan_probe *probe,
                            const struct trial_memory *memory, uint64_t elapsed_ns);

/* Requests that the load has sent so far, and connections lost; in all, after the trial. */
uint64_t plan_beside_sent(const struct plan_beside *beside);
uint64_t plan_beside_losses(const struct plan_beside *beside);

#endif
