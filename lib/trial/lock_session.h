// SPDX-License-Identifier: Apache-2.0
/*
 * lock session: one session's place in a trial: it arrives, waits, holds, releases. Layer: trial.
 *
 * A reply, the awaited notification, or an order of the coordinator resumes the recipe's coroutine.
 * What the step has come to decides what the session does next: it arrives, acquires, works, holds,
 * releases, and queues again. The meter is told of every message, the checker of every grant and
 * release. A lock session lives on one thread: its session's callbacks and the functions below are
 * all called there.
 *
 * Invariant: a session counts as busy on the board from the moment at which it is told to move
 * until it is parked on an armed watch, rests at a turn, holds, or is done. A session that a
 * notification wakes is busy before that notification is counted: so when nobody is busy and the
 * foretold notifications are counted, all is at rest.
 */
#ifndef TRIAL_LOCK_SESSION_H
#define TRIAL_LOCK_SESSION_H

#include "base/random.h"
#include "recipes/recipe.h"
#include "trial/board.h"
#include "trial/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct lock_session;

enum lock_session_state {
    SESSION_CONNECTING,
    SESSION_IDLE, /* connected, and not in line */
    SESSION_ACQUIRING,
    SESSION_PARKED,
    SESSION_WORKING, /* holding, and at the work under the lock */
    SESSION_AT_TURN, /* lockstep: goes on when all who wait may */
    SESSION_HOLDING,
    SESSION_RELEASING,
    SESSION_FINISHED,
    SESSION_DEAD, /* as the plan, or the recipe, wants it */
    SESSION_LOST,
    SESSION_READ, /* its last reading has been taken: it hears nothing more, and does nothing more
                   */
};

/* How holds and pauses are timed: has lock_session_alarm_rang called when it is time, on the lock
 * session's thread. A lock session sets one alarm at a time. */
struct session_timer {
    void (*set)(void *context, uint64_t due_ns, struct lock_session *session);
    void *context;
};

struct lock_session {
    struct contender contender;
    struct meter meter;
    struct random random;
    struct session_timer timer;
    uint32_t index; /* of the session in the trial, from 0 */
    enum lock_session_state state;
    enum lock_session_state woken_to; /* parked: the state that it goes on in */
    uint32_t nested;                  /* acquires that have been granted, and not released */
    bool rests;                       /* it has come to rest in the turn under way */
    bool timed;                       /* an alarm is set: it holds, or its recipe pauses */
    bool cutting;                     /* the reply to the request under way is to be lost */
    bool in_trial;                    /* the gate has opened */
    bool apart;      /* it has lost its connection, and has none yet in its place */
    int64_t arrival; /* its number among the arrivals at this lock */
    uint64_t arrived_ns;
    uint64_t granted_ns;
    uint64_t release_ns; /* when its release began */
    char lock_path[RECIPE_PATH_MAX];
};

static inline struct board *lock_session_board(const struct lock_session *session)
{
    return session->meter.board;
}

static inline const struct trial_plan *lock_session_plan(const struct lock_session *session)
{
    return lock_session_board(session)->plan;
}

static inline struct board_lock *lock_session_lock(const struct lock_session *session)
{
    return &lock_session_board(session)->locks[session->meter.lock];
}

/* The callbacks of a lock session; the lock session is their owner. */
extern const struct client_listener lock_session_listener;

/* Sets up a lock session that is not connected yet. The seed is of its random holding times. */
void lock_session_init(struct lock_session *session, struct board *board,
                       struct board_worker *worker, uint64_t seed,
                       const struct session_timer *timer, uint32_t index);

/* The gate has opened: what the session sends and receives is counted and timed from here on. */
void lock_session_pass_gate(struct lock_session *session);

/* The session gets in line. Idle, and already counted as busy. */
void lock_session_arrive(struct lock_session *session);

/* Holding: the session releases as soon as it has held for as long as the plan says; already
 * counted as busy. */
void lock_session_let_go(struct lock_session *session);

/* The session goes on if it rests at a turn, and is then already counted as busy. */
void lock_session_go_on(struct lock_session *session);

/* An alarm's ring: the lock session's hold or its recipe's pause is over. */
void lock_session_alarm_rang(void *session, uint64_t late_ns);

/* Waiting or holding, at rest: the session dies as the plan says; already counted as busy. */
void lock_session_die(struct lock_session *session);

/* The end of all that is counted: attributes what bytes have come, and writes the report. What the
 * session hears after that, as of others that end when a trial is cut short, counts nowhere. */
void lock_session_take_reading(struct lock_session *session);

/* Reports to the coordinator's inquiry, in the middle of the trial: of a session that is dead all
 * was said before. */
void lock_session_answer(const struct lock_session *session);

#endif
