// SPDX-License-Identifier: Apache-2.0
/*
 * lock session: a session that contends for locks; an actor of the trial's fleet. Layer: trial.
 *
 * A reply, the awaited notification, or an order of the coordinator resumes the recipe's coroutine,
 * whose result decides what the session does next:
 *
 *   arrive -> acquire -> granted -> [work] -> hold -> release -> released -> arrive, or finished
 *
 * Invariant: a session is counted as busy in the shared memory from an order to move until it is
 * parked on an armed watch, waits at a turn, holds, or is done. A session that a notification wakes
 * is counted as busy before the notification is counted: when no session is busy and the predicted
 * notifications are counted, nothing moves any more.
 */
#ifndef TRIAL_LOCK_SESSION_H
#define TRIAL_LOCK_SESSION_H

#include "base/random.h"
#include "trial/internal.h"

/* The orders of the kind. The session is counted as busy before it receives one. */
enum lock_session_order {
    LOCK_ORDER_ARRIVE = ORDER_OWN, /* idle: get in line */
    LOCK_ORDER_RELEASE,            /* holding: release when the plan's holding time is over */
    LOCK_ORDER_DIE,                /* waiting or holding, at rest: die as the plan says */
    LOCK_ORDER_GO_ON, /* plus a lock's number: go on, if it waits at a turn of that lock */
};

enum lock_session_state {
    SESSION_CONNECTING,
    SESSION_IDLE, /* connected, and not in line */
    SESSION_HOLDING,
    /* From here on it is unfinished. */
    SESSION_ACQUIRING,
    SESSION_PARKED,
    SESSION_AT_TURN, /* lockstep: goes on when all who wait may */
    SESSION_WORKING, /* holding, and at the work under the lock */
    SESSION_RELEASING,
    /* From here on it does nothing more. */
    SESSION_FINISHED,
    SESSION_DEAD, /* as the plan or the recipe demands */
    SESSION_LOST, /* it cannot go on */
    SESSION_READ, /* its last reading has been taken: it ignores everything */
};

struct lock_session {
    struct actor actor; /* first: a lock session is one */
    struct trial_memory *memory;
    struct contender contender;
    struct meter meter;
    struct random random;
    enum lock_session_state state;
    enum lock_session_state woken_to; /* parked: the state that it goes on in */
    uint32_t nested;                  /* acquires that were granted and not yet released */
    bool rests;                       /* it has stopped being busy during the present callback */
    bool timed;                       /* an alarm is set: it holds, or its recipe pauses */
    bool cutting;                     /* the reply to the request under way is to be lost */
    int64_t arrival;                  /* its number among the arrivals at this lock */
    uint64_t arrived_ns;
    uint64_t granted_ns;
    uint64_t release_ns; /* when its release began */
};

/* Lock sessions as actors of a fleet, whose kind is the trial's struct trial_memory. */
extern const struct actor_ops lock_session_ops;

#endif
