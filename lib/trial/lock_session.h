// SPDX-License-Identifier: Apache-2.0
/*
 * lock session: one session's place in a trial: it arrives, waits, holds, releases. Layer: trial.
 *
 * A reply, the awaited notification, or an order of the coordinator resumes the recipe's coroutine.
 * What the step has come to decides what the session does next:
 *
 *   arrive -> acquire -> granted -> [work] -> hold -> release -> released -> arrive, or finished
 *
 * The meter is told of every message, the checker of every grant and release. A lock session is an
 * actor of the trial's fleet.
 *
 * Invariant: a session counts as busy in the shared memory from the moment at which it is told to
 * move until it is parked on an armed watch, rests at a turn, holds, or is done. A session that a
 * notification wakes is busy before that notification is counted: so when nobody is busy and the
 * foretold notifications are counted, all is at rest.
 */
#ifndef TRIAL_LOCK_SESSION_H
#define TRIAL_LOCK_SESSION_H

#include "base/random.h"
#include "fleet/actor.h"
#include "recipes/recipe.h"
#include "trial/lock_board.h"
#include "trial/meter.h"

#include <stdbool.h>
#include <stdint.h>

/* What a lock session is told beside enum fleet_order; by then it counts as busy already. */
enum lock_session_order {
    LOCK_ORDER_ARRIVE = ORDER_OWN, /* idle: get in line */
    LOCK_ORDER_RELEASE,            /* holding: release when the plan's holding time is over */
    LOCK_ORDER_DIE,                /* waiting or holding, at rest: die as the plan says */
    LOCK_ORDER_GO_ON, /* plus a lock's number: go on, if at rest at a turn of that lock */
};

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

struct lock_session {
    struct actor actor; /* first: a lock session is one */
    struct lock_board *board;
    struct contender contender;
    struct meter meter;
    struct random random;
    enum lock_session_state state;
    enum lock_session_state woken_to; /* parked: the state that it goes on in */
    uint32_t nested;                  /* acquires that have been granted, and not released */
    bool rests;                       /* it has come to rest in the turn under way */
    bool timed;                       /* an alarm is set: it holds, or its recipe pauses */
    bool cutting;                     /* the reply to the request under way is to be lost */
    int64_t arrival;                  /* its number among the arrivals at this lock */
    uint64_t arrived_ns;
    uint64_t granted_ns;
    uint64_t release_ns; /* when its release began */
    char lock_path[RECIPE_PATH_MAX];
};

/* Lock sessions as actors of a fleet, whose kind is the trial's struct lock_board. */
extern const struct actor_ops lock_session_ops;

#endif
