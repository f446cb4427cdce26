// SPDX-License-Identifier: Apache-2.0
/*
 * workers: the workers of one fleet: processes, or in a simulation one guest of this process.
 * Layer: fleet.
 *
 * Invariant: no worker outlives the process that started it, however that one ends.
 */
#ifndef FLEET_WORKERS_H
#define FLEET_WORKERS_H

#include "base/error.h"
#include "fleet/setup_session.h"
#include "fleet/worker.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct workers {
    struct fleet fleet;
    pid_t *pids;
    uint32_t count;
    struct worker *guest; /* in a simulation, instead of the processes */
};

/*
 * Forks the plan's processes; each runs its share of the sessions (worker.h) and lets go of the
 * set-up session's session and the private server (may be NULL). On an error those already forked
 * are ended. To be called while the program has one thread.
 */
MUST_CHECK enum error_kind workers_start(struct workers *workers, const struct fleet *fleet,
                                         struct setup_session *setup, struct ensemble *ensemble,
                                         struct error *error);

/* The workers of a simulation: one worker, in this process. */
MUST_CHECK enum error_kind workers_start_simulated(struct workers *workers,
                                                   const struct fleet *fleet, struct sim *sim,
                                                   struct error *error);

/* Lets something happen in the loop, for most_ns of its time at most. Processes work by
 * themselves; a guest works here. */
MUST_CHECK enum error_kind workers_turn(const struct workers *workers, const struct loop *loop,
                                        uint64_t most_ns, struct error *error);

/* ERROR_NONE while all workers work. A worker that ended leaves its own error, or
 * ERROR_WORKER_DIED. */
MUST_CHECK enum error_kind workers_check(const struct workers *workers, struct error *error);

/* Has the workers close their sessions and end, and waits for them: as long as worker_close_ns says
 * as a rule, 1.5 s more at most. */
void workers_end(struct workers *workers);

#endif
