// SPDX-License-Identifier: Apache-2.0
/*
 * worker: who runs a share of a fleet's actors: a process, or in a simulation a guest of the
 * coordinator's. Layer: fleet.
 */
#ifndef FLEET_WORKER_H
#define FLEET_WORKER_H

#include "base/error.h"
#include "fleet/actor.h"

#include <stdint.h>

struct sim;
struct worker;

/* What runs: actors of one kind, in workers that share this memory. */
struct fleet {
    struct shared *shared;
    const struct actor_ops *ops;
    void *kind; /* for ops->init; at the same address in all processes */
};

/* The worker's life, in a forked process: opens its sessions, waits at the gate, runs its actors,
 * has them take their last readings, closes. Returns when the phase is PHASE_CLOSE; the process
 * should then end. */
MUST_CHECK enum error_kind worker_run(const struct fleet *fleet, uint32_t index,
                                      struct error *error);

/* The same life a turn at a time, in a simulation, which outlives the worker: opens sessions, does
 * what the coordinator says, and lets the simulation's time pass, for most_ns at most. *worker is
 * the caller's to worker_free. */
MUST_CHECK enum error_kind worker_new_simulated(const struct fleet *fleet, struct sim *sim,
                                                struct worker **worker, struct error *error);
MUST_CHECK enum error_kind worker_turn(struct worker *worker, uint64_t most_ns,
                                       struct error *error);

/* Frees the worker of a simulation; its sessions end with that. NULL is fine. */
void worker_free(struct worker *worker);

/* How long the workers may take to close their sessions. What the servers have not confirmed by
 * then ends with its session's timeout. */
uint64_t worker_close_ns(const struct fleet_plan *plan);

#endif
