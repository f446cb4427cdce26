// SPDX-License-Identifier: Apache-2.0
/*
 * runtime: a worker's lock sessions, and the ways of running them. Layer: trial, below worker.
 *
 * On one event loop, all lock sessions live on the worker's only thread. On threads, each lock
 * session lives on a thread of its own, and the worker's first thread only opens sessions and
 * passes on what the coordinator says. In a simulation, all lock sessions and the coordinator live
 * on one thread.
 *
 * Invariant: a lock session is touched on its own thread only. What it is to do is an order; the
 * way brings it to that thread and has it carried out there.
 */
#ifndef TRIAL_RUNTIME_H
#define TRIAL_RUNTIME_H

#include "base/error.h"
#include "trial/board.h"
#include "trial/lock_session.h"

#include <stdbool.h>
#include <stdint.h>

enum session_order {
    ORDER_GATE,   /* the gate has opened: in free pace the session arrives */
    ORDER_ARRIVE, /* see lock_session.h */
    ORDER_LET_GO,
    ORDER_GO_ON,
    ORDER_DIE,
    ORDER_REPORT, /* to the coordinator's inquiry */
    ORDER_READ,   /* last readings */
};

struct worker {
    struct board *board;
    struct board_worker *share; /* this worker's place on the board */
    const struct runtime *runtime;
    void *own;       /* the runtime's */
    struct sim *sim; /* the simulation to live in; else NULL */
    struct lock_session *sessions;
    uint32_t index;
    uint32_t count;  /* lock sessions */
    uint32_t opened; /* of them, sessions that are open or opening */
    enum board_phase phase;
    uint32_t inquiry; /* of the board, that was answered last */
    uint64_t cpu_at_gate_ns;
};

/* A way of running lock sessions. */
struct runtime {
    /* Makes what the sessions will live on, and fills in how their holds are timed. */
    enum error_kind (*set_up)(struct worker *worker, struct session_timer *timer,
                              struct error *error);
    /* Begins to open a lock session, and fills in its client. */
    enum error_kind (*open)(struct worker *worker, struct lock_session *session, const char *hosts,
                            struct error *error);
    /* Has the lock session carry out the order (worker_carry_out) on its thread. */
    void (*tell)(struct lock_session *session, enum session_order order);
    /* Lets the sessions live, for most_ns at most; calls worker_woken when the coordinator has
     * something to say. */
    enum error_kind (*wait)(struct worker *worker, uint64_t most_ns, struct error *error);
    /* Closes the sessions, until `until_ns` at most. False if a thread that would not end still
     * uses its lock session. Also after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

extern const struct runtime runtime_events;
extern const struct runtime runtime_threads;
extern const struct runtime runtime_sim;

/* For the ways: in worker.c. */
void worker_carry_out(struct lock_session *session, enum session_order order);
void worker_woken(void *worker);

/* Under lockstep the coordinator waits for everything to be at rest: tells it when that may be so.
 * To be called after whatever may have brought a lock session to rest. */
void worker_tell_coordinator(struct board *board);

#endif
