// SPDX-License-Identifier: Apache-2.0
/*
 * watchdog: waits while a fleet runs, and detects what ends the run too early; leads the fleet up
 * to the opening of its gate, and takes its last readings after the run. Layer: fleet, above
 * workers.
 *
 * Whatever leads a fleet waits here, so every wait detects a worker that died, a private server
 * that ended, a signal, a lost session and a run in which nothing moves. What one kind of run looks
 * at besides is a struct watchdog_kind.
 *
 * In this order: gate_await_sessions, gate_note_roles, gate_read_counters; then the caller opens
 * the gate, by shared_enter(PHASE_RUN), and leads the run; then gate_close.
 *
 * Invariant: a wait knows no lock and no load, and changes nothing in the shared memory.
 */
#ifndef FLEET_WATCHDOG_H
#define FLEET_WATCHDOG_H

#include "base/clock.h"
#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/workers.h"

#include <stdbool.h>
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
    /* The notifications that the sessions have received so far. */
    uint64_t (*received)(void *context);
    /* Whether a server owes an answer, in a silence of seconds. */
    bool (*is_owed)(void *context);
    /* The servers were asked how far they are, and the slowest took so long to answer; NULL: no
     * matter. */
    void (*asked)(void *context, uint64_t longest_ns);
};

/* The caller sets the first group, and zeroes the second. */
struct watchdog {
    const struct workers *workers;
    struct server_counters *counters;
    struct setup_session *setup;
    int interrupt_descriptor; /* readable when the run is to be given up; -1: never */
    const struct watchdog_kind *kind;
    void *context; /* of kind */
    struct error *error;

    uint64_t movement;   /* steps and the kind's own, when last read */
    uint64_t moved_ns;   /* when the last change of movement */
    uint64_t woken_ns;   /* when servers that may have lost a wake-up were last woken */
    uint64_t waited_ns;  /* when the last wait ended */
    uint64_t questions;  /* that the servers had been asked by then */
    uint64_t checked_ns; /* the host's clock at the last check of private servers */
};

/* The time by which it waits. */
static inline uint64_t watchdog_now_ns(const struct watchdog *watchdog)
{
    return loop_now_ns(&watchdog->setup->session.loop);
}

/* From here on to watchdog_stop, which is due in any case, whatever wakes the coordinator ends a
 * wait. Errors of event_loop_watch. */
MUST_CHECK enum error_kind watchdog_start(struct watchdog *watchdog);
void watchdog_stop(struct watchdog *watchdog);

/* The run waits as planned until now: the plan's timeout begins again. */
void watchdog_rest(struct watchdog *watchdog);

/* Waits until something happens, for most_ns at most, and then checks everything. After every two
 * seconds in which nothing moves and a server of an ensemble owes an answer, the set-up session
 * wakes the servers. END_ERROR is for ERROR_INTERRUPTED, ERROR_WORKER_DIED, a worker's own error,
 * or ERROR_SERVER_DIED. */
MUST_CHECK enum fleet_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns);

/* ------------------------------------------------------------------ the gate */

/* Waits until all sessions are established. ERROR_NO_ANSWER if for the plan's timeout none is. */
MUST_CHECK enum fleet_end gate_await_sessions(struct watchdog *watchdog);

/* Asks the plan's servers for their roles, and gives every session that of its server. Nothing may
 * move: the roles then last as long as the connections. Those of server_counters_ask_role. */
MUST_CHECK enum error_kind gate_note_roles(struct watchdog *watchdog);

/* Reads the servers' counters, after under_way_settle. Connections of others are waited for to go,
 * for 0.2 s, or for 10 s on private servers: see server_counters_is_shared. */
MUST_CHECK enum fleet_end gate_read_counters(struct watchdog *watchdog,
                                             struct server_counters_reading *reading);

/* The run is over: has all workers take their last readings. ERROR_WORKER_HANGS if they do not
 * within 2 s although the servers answer; those of workers_check and of server_counters_read. */
MUST_CHECK enum error_kind gate_close(struct watchdog *watchdog);

/* ------------------------------------------------------------------ what is under way
 *
 * When every request of the fleet is answered, one of the set-up session may be out, a server may
 * be behind the one that has answered a write, and a notification that was sent may not have
 * arrived. */

/* Waits for the set-up session's replies to what it did not wait for, for 2 s at most. If it is
 * idle then, the servers have counted what it has sent. Errors of watchdog_wait. */
MUST_CHECK enum fleet_end under_way_settle(struct watchdog *watchdog);

/* server_counters_follow; the watchdog's kind hears how long the servers took to answer. */
MUST_CHECK enum error_kind under_way_follow(struct watchdog *watchdog, uint64_t *mark,
                                            bool *reached);

/* Waits until every server has carried out what any of them had when it was first asked; a server
 * alone has. Errors of watchdog_wait and server_counters_follow. */
MUST_CHECK enum fleet_end under_way_catch_up(struct watchdog *watchdog);

/* All requests are answered: waits until all servers have caught up, and until as many
 * notifications have been received as the servers have sent since at_start, when the watchdog's
 * kind had received none; at most for 2 s after the last that comes. Only the former if the servers
 * do not tell, or others use them. Errors as above, and those of server_counters_read. */
MUST_CHECK enum fleet_end under_way_receive(struct watchdog *watchdog,
                                            const struct server_counters_reading *at_start);

#endif
