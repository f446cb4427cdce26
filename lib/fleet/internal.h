// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the modules of this folder share. Layer: fleet.
 */
#ifndef FLEET_INTERNAL_H
#define FLEET_INTERNAL_H

#include "base/error.h"
#include "fleet/actor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ timers
 *
 * Alarms of many owners, on one timerfd. epoll waits in milliseconds; a timerfd is as fine as the
 * kernel's clock. The alarms are in a binary heap: setting an alarm and ringing one take O(log n).
 *
 * Invariant: in a batch alarms ring in the order of their due times, equal times in the order in
 * which they were set, and no alarm rings before its time. The timerfd is armed for the earliest,
 * by a system call only when that time changes. */

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    uint64_t order;  /* the number of alarms that were set before */
    void *owner;
};

struct timers {
    int descriptor; /* readable when an alarm is due */
    size_t count;   /* alarms in the heap */
    size_t fresh;   /* alarms that were set while others rang; they lie behind the heap */
    size_t capacity;
    struct alarm *heap;
    uint64_t order;
    uint64_t armed_ns; /* the time for which the timerfd is armed; UINT64_MAX: none */
    bool ringing;      /* in timers_ring */
    void (*ring)(void *owner, uint64_t late_ns);
};

/* Timers for at most `capacity` alarms at once. `ring` is called for each alarm that is due, and
 * may set alarms. To be undone by timers_deinit, except after an error. */
MUST_CHECK enum error_kind timers_init(struct timers *timers, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct error *error);

/* Timers that are all zero are fine. */
void timers_deinit(struct timers *timers);

/* Sets an alarm; there must be room for it. A time that has passed is fine. An alarm cannot be
 * taken back, so its owner must live until it rings. */
void timers_set(struct timers *timers, uint64_t due_ns, void *owner);

/* Rings every alarm that is due. An alarm that is set meanwhile rings in the next call at the
 * earliest, so that an owner that always sets a time that has passed does not keep the loop. */
void timers_ring(struct timers *timers);

/* ------------------------------------------------------------------ workers and runtimes
 *
 * A worker, and the ways of running its actors.
 *
 * With an event loop, all actors run on the worker's only thread. With threads, each actor runs on
 * a thread of its own, and the worker's first thread only opens sessions and passes on orders. In a
 * simulation, all actors and the coordinator run on one thread.
 *
 * Invariant: an actor is used on its own thread only; the runtime brings orders to that thread. */

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

/* For the runtimes: in workers.c. */
void worker_carry_out(struct actor *actor, int order);
void worker_woken(void *worker);

#endif
