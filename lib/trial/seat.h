// SPDX-License-Identifier: Apache-2.0
/*
 * seat: one session's place in a trial: it arrives, waits, holds, releases. Layer: trial.
 *
 * It goes on in its course (course.h) when a reply or the awaited notification has come, or the
 * conductor says so, and tells the meter of every message. A seat lives on one thread: its
 * session's callbacks and the functions below are all called there.
 *
 * Invariant: a session counts as busy on the board from the moment at which it is told to move
 * until it is parked on an armed watch, rests at a turn, holds, or is done. A session that a
 * notification wakes is busy before that notification is counted: so when nobody is busy and the
 * foretold notifications are counted, all is at rest.
 */
#ifndef TRIAL_SEAT_H
#define TRIAL_SEAT_H

#include "base/random.h"
#include "recipes/recipe.h"
#include "trial/board.h"
#include "trial/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct seat;

enum seat_state {
    SEAT_CONNECTING,
    SEAT_IDLE, /* connected, and not in line */
    SEAT_ACQUIRING,
    SEAT_PARKED,
    SEAT_WORKING, /* holding, and at the work under the lock */
    SEAT_AT_TURN, /* lockstep: goes on when all who wait may */
    SEAT_HOLDING,
    SEAT_RELEASING,
    SEAT_FINISHED,
    SEAT_DEAD, /* as the plan, or the recipe, wants it */
    SEAT_LOST,
    SEAT_READ, /* its last reading has been taken: it hears nothing more, and does nothing more */
};

/* How holds and pauses are timed: has seat_alarm_rang called when it is time, on the seat's thread.
 * A seat sets one alarm at a time. */
struct seat_timer {
    void (*set)(void *context, uint64_t due_ns, struct seat *seat);
    void *context;
};

struct seat {
    struct contender contender;
    struct meter meter;
    struct random random;
    struct seat_timer timer;
    uint32_t session;
    enum seat_state state;
    enum seat_state woken_to; /* parked: the state that it goes on in */
    uint32_t nested;          /* acquires that have been granted, and not released */
    bool rests;               /* it has come to rest in the turn under way */
    bool timed;               /* an alarm is set: it holds, or its recipe pauses */
    bool cutting;             /* the reply to the request under way is to be lost */
    bool in_trial;            /* the gate has opened */
    bool apart;               /* it has lost its connection, and has none yet in its place */
    int64_t arrival;          /* its number among the arrivals at this lock */
    uint64_t arrived_ns;
    uint64_t granted_ns;
    uint64_t release_ns; /* when its release began */
    char lock_path[RECIPE_PATH_MAX];
};

static inline struct board *seat_board(const struct seat *seat)
{
    return seat->meter.board;
}

static inline const struct trial_plan *seat_plan(const struct seat *seat)
{
    return seat_board(seat)->plan;
}

static inline struct board_lock *seat_lock(const struct seat *seat)
{
    return &seat_board(seat)->locks[seat->meter.lock];
}

/* The callbacks of a seat's session; the seat is their owner. */
extern const struct client_listener seat_listener;

/* Sets up a seat that is not connected yet. The seed is of its random holding times. */
void seat_init(struct seat *seat, struct board *board, struct board_worker *worker, uint64_t seed,
               const struct seat_timer *timer, uint32_t session);

/* The gate has opened: what the session sends and receives is counted and timed from here on. */
void seat_pass_gate(struct seat *seat);

/* The session gets in line. Idle, and already counted as busy. */
void seat_arrive(struct seat *seat);

/* Holding: the session releases as soon as it has held for as long as the plan says; already
 * counted as busy. */
void seat_let_go(struct seat *seat);

/* The session goes on if it rests at a turn, and is then already counted as busy. */
void seat_go_on(struct seat *seat);

/* An alarm's ring: the seat's hold or its recipe's pause is over. */
void seat_alarm_rang(void *seat, uint64_t late_ns);

/* Waiting or holding, at rest: the session dies as the plan says; already counted as busy. */
void seat_die(struct seat *seat);

/* The end of all that is counted: attributes what bytes have come, and writes the report. What the
 * session hears after that, as of others that end when a trial is cut short, counts nowhere. */
void seat_take_reading(struct seat *seat);

/* Reports to the conductor's inquiry, in the middle of the trial: of a session that is dead all was
 * said before. */
void seat_answer(const struct seat *seat);

/* Writes what the session is and does to its place on the board, for a report. */
void seat_report(const struct seat *seat);

#endif
