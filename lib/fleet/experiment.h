// SPDX-License-Identifier: Apache-2.0
/*
 * experiment: the frame of a run of a fleet, on servers or in a simulation of its own: the sessions
 * are opened, the caller leads them, and what they counted is compared with the servers' counters.
 * Layer: fleet, above watchdog.
 *
 * In this order: experiment_open; the caller makes its znodes; experiment_start, experiment_gate,
 * experiment_read_start; the caller leads the fleet; experiment_stop, experiment_read_servers,
 * experiment_reconcile; experiment_close, which is due in any case. How the run has gone so far
 * sticks in `end`: the steps up to experiment_read_start do nothing if that is not END_DONE.
 *
 * Invariant: after experiment_close no process, no session and no znode of the run is left; what a
 * server does not confirm in time ends with its session's timeout.
 */
#ifndef FLEET_EXPERIMENT_H
#define FLEET_EXPERIMENT_H

#include "fleet/watchdog.h"

struct experiment {
    /* The caller's. */
    const struct fleet_plan *plan;
    const char *root; /* the znode of the run; does not exist yet. Its parent does, but in a
                         simulation, in which both are made */
    struct ensemble *ensemble;       /* NULL: the servers are somebody else's */
    struct setup_session *setup;     /* a simulation has its own */
    struct server_counters counters; /* servers, companions, may_lack */
    struct watchdog watchdog;        /* interrupt_descriptor, kind, context */

    enum fleet_end end;
    struct error error; /* of END_ERROR */
    struct workers workers;
    bool are_working; /* the workers, from experiment_start to experiment_close */
    bool has_root;
    struct server_counters_reading at_start;
    uint64_t started_ns; /* when that was read, on the loop's clock */
};

/* Makes the simulation if the plan's driver is one, by these options and the plan's seed; then the
 * root. *experiment must not be moved from here on. */
void experiment_open(struct experiment *experiment, const struct sim_options *simulation);

/* Starts the workers of the fleet, and the watchdog. */
void experiment_start(struct experiment *experiment, struct shared *shared,
                      const struct actor_ops *ops, void *kind);

/* Waits until all sessions are established, and notes the roles of their servers. */
void experiment_gate(struct experiment *experiment);

/* Reads the servers' counters into at_start: nothing may move. */
void experiment_read_start(struct experiment *experiment);

/* Takes the workers' last readings, unless the run has failed, and stops the watchdog. */
void experiment_stop(struct experiment *experiment);

/*
 * Reads what the servers have counted since at_start. If the run was led to its end (is_done) they
 * are asked again, for 2 s at most, until they have carried out the closings of the `exits`
 * sessions that were closed in order, which nobody else would wait for, and, where nobody else
 * sends anything, until they have answered the pings that they have received. Errors of
 * server_counters_read.
 */
MUST_CHECK enum error_kind experiment_read_servers(struct experiment *experiment, bool is_done,
                                                   const struct tally *sent, uint64_t exits,
                                                   struct server_counters_count *count,
                                                   struct error *error);

/* Compares what the servers counted with what the sessions did; to be called right after
 * experiment_read_servers, while the workers run. facts: servers, sessions, had_faults, had_death
 * and exits are the caller's, the others are filled in. */
struct reconcile_result experiment_reconcile(const struct experiment *experiment,
                                             struct reconcile_facts facts);

/* Ends the workers and the simulation, and deletes the root with all below it; but a private server
 * that has failed takes its znodes with it. The first error stands. */
void experiment_close(struct experiment *experiment);

#endif
