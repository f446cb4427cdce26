// SPDX-License-Identifier: Apache-2.0
/*
 * seating: a worker's seats, and the ways of running them. Layer: trial, below worker.
 *
 * On one event loop, all seats live on the worker's only thread. On threads, each seat lives on a
 * thread of its own, and the worker's first thread only opens sessions and passes on what the
 * conductor says. In a simulation, all seats and the conductor live on one thread.
 *
 * Invariant: a seat is touched on its own thread only. What it is to do is an order; the way brings
 * it to that thread and has it carried out there.
 */
#ifndef TRIAL_SEATING_H
#define TRIAL_SEATING_H

#include "base/fault.h"
#include "trial/board.h"
#include "trial/seat.h"

#include <stdbool.h>
#include <stdint.h>

enum seat_order {
    ORDER_GATE,   /* the gate has opened: in free pace the session arrives */
    ORDER_ARRIVE, /* see seat.h */
    ORDER_LET_GO,
    ORDER_GO_ON,
    ORDER_DIE,
    ORDER_REPORT, /* to the conductor's inquiry */
    ORDER_READ,   /* last readings */
};

struct worker {
    struct board *board;
    struct board_worker *share; /* this worker's place on the board */
    const struct seating *seating;
    void *own;                   /* the seating's */
    struct simulated *simulated; /* the simulation to live in; else NULL */
    struct seat *seats;
    uint32_t index;
    uint32_t count;  /* seats */
    uint32_t opened; /* of them, sessions that are open or opening */
    enum board_phase phase;
    uint32_t inquiry; /* of the board, that was answered last */
    uint64_t cpu_at_gate_ns;
};

/* A way of running seats. */
struct seating {
    /* Makes what the sessions will live on, and fills in how their holds are timed. */
    enum fault_kind (*set_up)(struct worker *worker, struct seat_timer *timer, struct fault *fault);
    /* Begins to open a seat's session, and fills in its client. */
    enum fault_kind (*open)(struct worker *worker, struct seat *seat, const char *hosts,
                            struct fault *fault);
    /* Has the seat carry out the order (worker_carry_out) on its thread. */
    void (*tell)(struct seat *seat, enum seat_order order);
    /* Lets the sessions live, for most_ns at most; calls worker_woken when the conductor has
     * something to say. */
    enum fault_kind (*wait)(struct worker *worker, uint64_t most_ns, struct fault *fault);
    /* Closes the sessions, until `until_ns` at most. False if a thread that would not end still
     * uses its seat. Also after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

extern const struct seating seating_on_events;
extern const struct seating seating_on_threads;
extern const struct seating seating_in_simulation;

/* For the ways: in worker.c. */
void worker_carry_out(struct seat *seat, enum seat_order order);
void worker_woken(void *worker);

/* Under lockstep the conductor waits for everything to be at rest: tells it when that may be so. To
 * be called after whatever may have brought a seat to rest. */
void worker_tell_conductor(struct board *board);

#endif
