// SPDX-License-Identifier: Apache-2.0
/*
 * runtime: a worker's actors, and the ways of running them. Layer: fleet, below worker.
 *
 * On one event loop, all actors live on the worker's only thread. On threads, each actor lives on a
 * thread of its own, and the worker's first thread only opens sessions and passes on what the
 * coordinator says. In a simulation, all actors and the coordinator live on one thread.
 *
 * Invariant: an actor is touched on its own thread only. What it is to do is an order; the runtime
 * brings it to that thread and has it carried out there.
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
    struct sim *sim; /* the simulation to live in; else NULL */
    char *actors;    /* `count` of them, of ops->size bytes each */
    uint32_t index;
    uint32_t count;
    uint32_t opened; /* of them, sessions that are open or opening */
    enum fleet_phase phase;
    uint32_t inquiry; /* that was answered last */
    uint64_t cpu_at_gate_ns;
};

/* A way of running actors. */
struct runtime {
    /* Makes what the sessions will live on, and fills in how alarms are set. */
    enum error_kind (*set_up)(struct worker *worker, struct actor_timer *timer,
                              struct error *error);
    /* Begins to open an actor's session, and fills in its client. */
    enum error_kind (*open)(struct worker *worker, struct actor *actor, const char *hosts,
                            struct error *error);
    /* Has the actor carry out the order (worker_carry_out) on its thread. */
    void (*tell)(struct actor *actor, int order);
    /* Lets the sessions live, for most_ns at most; calls worker_woken when the coordinator has
     * something to say. */
    enum error_kind (*wait)(struct worker *worker, uint64_t most_ns, struct error *error);
    /* Closes the sessions, until `until_ns` at most. False if a thread that would not end still
     * uses its actor. Also after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

extern const struct runtime runtime_events;
extern const struct runtime runtime_threads;
extern const struct runtime runtime_sim;

/* For the runtimes: in worker.c. */
void worker_carry_out(struct actor *actor, int order);
void worker_woken(void *worker);

#endif
