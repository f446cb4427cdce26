// SPDX-License-Identifier: Apache-2.0
/*
 * worker: runs a share of a fleet's actors, in a process of its own, or in a simulation in the
 * coordinator's. Layer: fleet.
 */
#ifndef FLEET_WORKER_H
#define FLEET_WORKER_H

#include "base/error.h"
#include "fleet/actor.h"

#include <stdint.h>

struct sim;
struct worker;

/* Actors of one kind, in workers that share this memory. */
struct fleet {
    struct shared *shared;
    const struct actor_ops *ops;
    void *kind; /* passed to ops->init; at the same address in all processes */
};

/* The life of a worker in a forked process: opens the sessions, runs the actors through all phases,
 * and closes the sessions in PHASE_CLOSE. The process should then end. */
MUST_CHECK enum error_kind worker_run(const struct fleet *fleet, uint32_t index,
                                      struct error *error);

/* The same in a simulation, one turn at a time: a turn opens sessions, carries out orders, and lets
 * the simulation's time pass, for most_ns at most. The simulation must outlive the worker. *worker
 * is the caller's to worker_free. */
MUST_CHECK enum error_kind worker_new_simulated(const struct fleet *fleet, struct sim *sim,
                                                struct worker **worker, struct error *error);
MUST_CHECK enum error_kind worker_turn(struct worker *worker, uint64_t most_ns,
                                       struct error *error);

/* Frees the worker of a simulation; its sessions end with that. NULL is fine. */
void worker_free(struct worker *worker);

/* How long the workers may take to close their sessions. A session whose close the servers have not
 * confirmed by then ends with its timeout. */
uint64_t worker_close_ns(const struct fleet_plan *plan);

#endif
