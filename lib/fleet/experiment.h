// SPDX-License-Identifier: Apache-2.0
/*
 * experiment: a run of a fleet, on servers or in a simulation of its own, from its root znode to
 * the comparison of its counts with the servers' counters. Layer: fleet, above workers.
 *
 * In this order: experiment_open; the caller makes its znodes; experiment_start, experiment_gate,
 * experiment_read_start; the caller runs the fleet; experiment_stop, experiment_read_servers,
 * experiment_reconcile; experiment_close, which is due in any case. How the run has gone so far
 * sticks in `end`: the other functions without a result do nothing unless that is END_DONE.
 *
 * Every wait is one of experiment_wait, which detects a worker that died, a private server that
 * ended, a signal, a lost session and a run in which nothing moves.
 *
 * Invariant: after experiment_close no process, no session and no znode of the run is left; what a
 * server does not confirm in time ends with its session's timeout.
 */
#ifndef FLEET_EXPERIMENT_H
#define FLEET_EXPERIMENT_H

#include "base/clock.h"
#include "fleet/server_counters.h"
#include "fleet/workers.h"

/* The longest useful wait: private servers are checked this often. */
#define EXPERIMENT_TURN_NS (100 * NS_PER_MS)

/* What one kind of experiment adds. */
struct experiment_kind {
    /* All that the sessions have sent and received so far. */
    struct tally (*counted)(void *context);
    /* Called after each wait that met no error. absent_ns: how long the wait lasted beyond its
     * limit because this process was not run; 0 if that was short. Returns END_DONE to go on. */
    enum fleet_end (*waited)(void *context, uint64_t now_ns, uint64_t absent_ns);
    /* Whether a server owes an answer, in a silence of seconds. */
    bool (*is_owed)(void *context);
    /* The servers were asked how far they are, which took longest_ns at most. May be NULL. */
    void (*asked)(void *context, uint64_t longest_ns);
};

struct experiment {
    /* The caller's. */
    const struct fleet_plan *plan;
    const struct fleet_host *host;
    const char *root; /* the znode of the run; does not exist yet. Its parent does, but in a
                         simulation, in which both are made */
    const struct experiment_kind *kind;
    void *context;      /* of kind */
    bool requests_move; /* a request is progress, not only the step of an actor */

    enum fleet_end end;
    struct error error; /* of END_ERROR */
    struct setup_session *setup;
    struct server_counters counters;
    struct shared *shared;
    struct workers workers;
    bool are_working; /* the workers, from experiment_start to experiment_close */
    bool has_root;
    struct server_counters_count at_start;
    uint64_t started_ns; /* when that was read, on the loop's clock */
    /* Times and counts of the waits. */
    uint64_t movement;   /* steps and requests, when last read */
    uint64_t moved_ns;   /* when the last change of movement */
    uint64_t woken_ns;   /* when servers that may have lost a wake-up were last woken */
    uint64_t waited_ns;  /* when the last wait ended */
    uint64_t questions;  /* that the servers had been asked by then */
    uint64_t checked_ns; /* the host's clock at the last check of private servers */
};

static inline bool experiment_goes_on(const struct experiment *experiment)
{
    return experiment->end == END_DONE;
}

/* Ends the experiment if this is an error, which `error` has. */
static inline void experiment_check(struct experiment *experiment, enum error_kind kind)
{
    if (kind != ERROR_NONE)
        experiment->end = END_ERROR;
}

/* The time by which it waits. */
static inline uint64_t experiment_now_ns(const struct experiment *experiment)
{
    return loop_now_ns(&experiment->setup->loop);
}

/* Makes the simulation if the plan's driver is one, by the host's options and the plan's seed; then
 * the root. *experiment must not be moved from here on. */
void experiment_open(struct experiment *experiment);

void experiment_start(struct experiment *experiment, struct shared *shared,
                      const struct actor_ops *ops, void *kind);

/* Waits until all sessions are established, and notes the roles of their servers. */
void experiment_gate(struct experiment *experiment);

/* Reads the servers' counters into at_start: nothing may move. */
void experiment_read_start(struct experiment *experiment);

/* Has the workers take their last readings, unless the run has failed. */
void experiment_stop(struct experiment *experiment);

/*
 * Reads what the servers have counted since at_start. If the run has reached its end (END_DONE)
 * they are asked again, for 2 s at most, until they have carried out the closings of the `exits`
 * sessions that were closed in order, and, where no other client sends anything, until they have
 * answered the pings that they have received. Errors of server_counters_read.
 */
MUST_CHECK enum error_kind experiment_read_servers(struct experiment *experiment,
                                                   const struct tally *sent, uint64_t exits,
                                                   struct server_counters_count *count,
                                                   struct error *error);

/* Compares what the servers counted with what the sessions did; to be called right after
 * experiment_read_servers, while the workers run. facts: servers, sessions, had_death, exits, and
 * the pings_most of other hosts, to which this host's are added, are the caller's; the rest is
 * filled in. */
struct reconcile_result experiment_reconcile(const struct experiment *experiment,
                                             struct reconcile_facts facts);

/* Ends the workers and the simulation, and deletes the root with all below it; but a private server
 * that has failed takes its znodes with it. The first error stands. */
void experiment_close(struct experiment *experiment);

/* ------------------------------------------------------------------ waiting */

/* The run waits as planned until now: the plan's timeout begins again. */
void experiment_rest(struct experiment *experiment);

/* Waits until something happens, for most_ns at most, and then checks everything. After every two
 * seconds in which nothing moves and a server of an ensemble owes an answer, the set-up session
 * wakes the servers. END_ERROR is for ERROR_INTERRUPTED, ERROR_WORKER_DIED, a worker's own error,
 * or ERROR_SERVER_DIED. */
void experiment_wait(struct experiment *experiment, uint64_t most_ns);

/* Waits for the set-up session's replies to what it did not wait for, for 2 s at most. If it is
 * idle then, the servers have counted what it has sent. */
void experiment_await_setup(struct experiment *experiment);

/* Waits until every server has carried out what any of them had when it was first asked; a server
 * alone has. */
void experiment_catch_up(struct experiment *experiment);

/* All requests are answered: waits until all servers have caught up, and until as many
 * notifications have been received as the servers have sent since at_start, when the sessions had
 * received none; at most for 2 s after the last that comes. Does nothing if the servers do not
 * report their counters, or others use them. */
void experiment_await_notifications(struct experiment *experiment);

#endif
