// SPDX-License-Identifier: Apache-2.0
/*
 * watchdog: waits while a fleet runs, and detects what ends the run too early. Layer: fleet, above
 * workers.
 *
 * Whatever leads a fleet waits here. A worker that died, a private server that ended, a signal, a
 * lost session and a run in which nothing moves are therefore detected during every wait. What one
 * kind of run must look at besides (its own verdict, its progress) is a struct watchdog_kind.
 *
 * Invariant: the watchdog knows no lock and no load, and changes nothing in the shared memory.
 */
#ifndef FLEET_WATCHDOG_H
#define FLEET_WATCHDOG_H

#include "base/clock.h"
#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/workers.h"

#include <stdint.h>

/* The longest useful wait: private servers are checked this often. */
#define WATCHDOG_TURN_NS (100 * NS_PER_MS)

/* How a run has ended. Functions that lead a part of a run return it as well. */
enum fleet_end {
    END_DONE,      /* this part is done: the run goes on, or was complete */
    END_VIOLATION, /* a verdict failed: the rest would mean nothing */
    END_DEADLINE,  /* nothing moved for the plan's timeout */
    END_LOST,      /* a session cannot go on */
    END_OVERFLOW,  /* more happened than there is memory to record */
    END_ALONE,     /* what was to go on beside the run has ended */
    END_ERROR,     /* the run could not be led to its end: watchdog->error says why */
};

static inline enum fleet_end fleet_end_of(enum error_kind kind)
{
    return kind == ERROR_NONE ? END_DONE : END_ERROR;
}

/* What one kind of run adds to the watchdog. */
struct watchdog_kind {
    /* A number that changes when the run gets on without a step of an actor. */
    uint64_t (*movement)(void *context);
    /* Called after each wait that met no error. absent_ns: how long the wait lasted beyond its
     * limit because this process was not run; 0 if that was short. Returns END_DONE to go on. */
    enum fleet_end (*look)(void *context, uint64_t now_ns, uint64_t absent_ns);
    /* The notifications that the sessions have received so far. For fleet/under_way.h. */
    uint64_t (*received)(void *context);
    /* The servers were asked how far they are, and the slowest took so long to answer; NULL: no
     * matter. For fleet/under_way.h. */
    void (*asked)(void *context, uint64_t longest_ns);
};

/* The caller sets the first group, and zeroes the second. */
struct watchdog {
    const struct workers *workers;
    struct server_counters *counters;
    const struct loop *loop;
    int interrupt_descriptor; /* readable when the run is to be given up; -1: never */
    const struct watchdog_kind *kind;
    void *context; /* of kind */
    struct error *error;

    uint64_t movement;   /* steps and the kind's own, when last read */
    uint64_t moved_ns;   /* the loop's time at the last change of movement */
    uint64_t checked_ns; /* the host's clock at the last check of private servers */
};

/* From here on to watchdog_stop, whatever wakes the coordinator ends a wait. watchdog_stop must be
 * called in any case. Errors are those of event_loop_watch. */
MUST_CHECK enum error_kind watchdog_start(struct watchdog *watchdog);
void watchdog_stop(struct watchdog *watchdog);

/* The run waits as planned until now: the plan's timeout begins again. */
void watchdog_rest(struct watchdog *watchdog);

/* Waits until something happens, for most_ns at most, and then checks everything. END_ERROR is for
 * ERROR_INTERRUPTED, ERROR_WORKER_DIED, a worker's own error, or ERROR_SERVER_DIED. */
MUST_CHECK enum fleet_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns);

#endif
