// SPDX-License-Identifier: Apache-2.0
/*
 * workers: the workers of one fleet: processes, or in a simulation one worker in this process. A
 * worker opens its share of the sessions, runs their actors through all phases, and closes the
 * sessions in PHASE_CLOSE. Layer: fleet.
 *
 * Invariant: no worker outlives the process that started it.
 */
#ifndef FLEET_WORKERS_H
#define FLEET_WORKERS_H

#include "base/error.h"
#include "fleet/actor.h"
#include "fleet/setup_session.h"

#include <stdint.h>

/* Actors of one kind, in workers that share this memory. */
struct fleet {
    struct shared *shared;
    const struct actor_ops *ops;
    void *kind; /* passed to ops->init; at the same address in all processes */
};

struct worker;

struct workers {
    struct fleet fleet;
    pid_t *pids;
    uint32_t count;
    struct worker *guest; /* in a simulation, instead of the processes */
};

/* Forks the plan's processes. Each abandons the set-up session, and runs its share of the sessions.
 * With a simulation (else NULL) nothing is forked, and the set-up session is not used. On an error
 * no process is left. Call this while the program has one thread. */
MUST_CHECK enum error_kind workers_start(struct workers *workers, const struct fleet *fleet,
                                         struct setup_session *setup, struct sim *sim,
                                         struct error *error);

/* A turn of the loop, for most_ns of its time at most. In a simulation the worker works here. */
MUST_CHECK enum error_kind workers_turn(const struct workers *workers, const struct loop *loop,
                                        uint64_t most_ns, struct error *error);

/* ERROR_NONE while all workers run; else the error of a worker that ended, ERROR_WORKER_ABORTED or
 * ERROR_WORKER_DIED. */
MUST_CHECK enum error_kind workers_check(const struct workers *workers, struct error *error);

/* The CPU time that the workers have used so far, in nanoseconds; 0 in a simulation. */
uint64_t workers_cpu_ns(const struct workers *workers);

/* Has the workers close their sessions and end, and waits for that, as long as a close may take
 * and 1.5 s at most; then they are killed. */
void workers_end(struct workers *workers);

#endif
