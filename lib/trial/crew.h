// SPDX-License-Identifier: Apache-2.0
/*
 * crew: the workers of one trial: processes, or in a simulation one guest of this process. Layer:
 * trial.
 *
 * Invariant: no worker outlives the process that started it, however that one ends.
 */
#ifndef TRIAL_CREW_H
#define TRIAL_CREW_H

#include "base/fault.h"
#include "trial/board.h"
#include "trial/steward.h"
#include "zk/ensemble.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct crew {
    struct board *board;
    pid_t *workers;
    uint32_t count;
    struct worker *guest; /* in a simulation, instead of the processes */
};

/*
 * Forks the plan's processes; each runs its share of the sessions (worker.h) and lets go of the
 * steward's session and the private server (may be NULL). On a fault those already forked are
 * ended. To be called while the program has one thread.
 */
MUST_CHECK enum fault_kind crew_start(struct crew *crew, struct board *board,
                                      struct steward *steward, struct ensemble *ensemble,
                                      struct fault *fault);

/* The crew of a simulation: one worker, in this process. */
MUST_CHECK enum fault_kind crew_start_simulated(struct crew *crew, struct board *board,
                                                struct simulated *simulated, struct fault *fault);

/* Lets something happen on the stage, for most_ns of its time at most. Processes work by
 * themselves; a guest works here. */
MUST_CHECK enum fault_kind crew_turn(const struct crew *crew, const struct stage *stage,
                                     uint64_t most_ns, struct fault *fault);

/* FAULT_NONE while all workers work. A worker that ended leaves its own fault, or
 * FAULT_WORKER_DIED. */
MUST_CHECK enum fault_kind crew_check(const struct crew *crew, struct fault *fault);

/* Has the workers close their sessions and end, and waits for them: as long as worker_close_ns says
 * as a rule, 1.5 s more at most. */
void crew_end(struct crew *crew);

#endif
