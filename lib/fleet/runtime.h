// SPDX-License-Identifier: Apache-2.0
/*
 * runtime: a worker, and the ways of running its actors. Layer: fleet, below worker.
 *
 * With an event loop, all actors run on the worker's only thread. With threads, each actor runs on
 * a thread of its own, and the worker's first thread only opens sessions and passes on orders. In a
 * simulation, all actors and the coordinator run on one thread.
 *
 * Invariant: an actor is used on its own thread only; the runtime brings orders to that thread.
 */
#ifndef FLEET_RUNTIME_H
#define FLEET_RUNTIME_H

#include "base/error.h"
#include "fleet/actor.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;

struct worker {
    struct shared *shared;
    struct shared_worker *place; /* this worker's, in the shared memory */
    const struct actor_ops *ops;
    const struct runtime *runtime;
    void *own;       /* the runtime's */
    struct sim *sim; /* NULL: real servers */
    char *actors;    /* `count` actors of ops->size bytes each */
    uint32_t index;
    uint32_t count;
    uint32_t opened; /* actors whose session is open or opening */
    enum fleet_phase phase;
    uint32_t inquiry; /* the last that was answered */
    uint64_t cpu_at_gate_ns;
    uint64_t turned_ns; /* the host's clock when the worker last looked whether it runs */
};

/* A way of running actors. */
struct runtime {
    /* Makes the runtime's own data, and fills in how alarms are set. */
    enum error_kind (*set_up)(struct worker *worker, struct actor_timer *timer,
                              struct error *error);
    /* Begins to open an actor's session, and fills in its client. */
    enum error_kind (*open)(struct worker *worker, struct actor *actor, const char *hosts,
                            struct error *error);
    /* Has worker_carry_out called on the actor's thread. */
    void (*tell)(struct actor *actor, int order);
    /* Runs the sessions, for most_ns at most; calls worker_woken when the coordinator has woken the
     * worker. */
    enum error_kind (*wait)(struct worker *worker, uint64_t most_ns, struct error *error);
    /* Closes the sessions, until until_ns at most. False if a thread has not ended and still uses
     * its actor. Also called after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

extern const struct runtime runtime_events;
extern const struct runtime runtime_threads;
extern const struct runtime runtime_sim;

/* For the runtimes: in worker.c. */
void worker_carry_out(struct actor *actor, int order);
void worker_woken(void *worker);

#endif
