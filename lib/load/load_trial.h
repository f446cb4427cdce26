// SPDX-License-Identifier: Apache-2.0
/*
 * load_trial: what the two ways of leading a load have in common: the fleet from its start to its
 * end. Layer: load, below load and background.
 *
 * In this order: load_trial_begin, load_trial_start; the caller lets time pass; load_trial_end.
 *
 * Invariant: whatever the outcome, after load_trial_end no process, no session and no znode of the
 * trial is left; what a server does not confirm in time ends with its session's timeout. After a
 * trial that did not fail every private server serves.
 */
#ifndef LOAD_LOAD_TRIAL_H
#define LOAD_LOAD_TRIAL_H

#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "fleet/workers.h"
#include "load/load_result.h"

/* What is shown while a load runs. */
struct load_progress {
    enum { LOAD_CONNECTS, LOAD_LAYS_OUT, LOAD_WARMS_UP, LOAD_MEASURES, LOAD_CLEARS } phase;
    uint32_t established; /* sessions */
    uint32_t second;      /* LOAD_MEASURES: seconds that have passed */
    const struct load_shared *load;
};

/* How a load is watched over from outside. */
struct load_watch {
    /* Called about ten times a second, and when all of a load that went well is answered; may be
     * NULL. */
    void (*progress)(void *context, const struct load_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
    /* Whether what is to go on beside the load still does, asked after every wait of the
     * coordinator: if not, the trial ends, END_ALONE. May be NULL. */
    bool (*has_company)(void *context);
};

/* Where a load is sent to. */
struct load_host {
    struct setup_session *setup;          /* a simulation has its own */
    const struct connect_string *servers; /* all of them: the plan's may be a part; those of a
                                             simulation have their numbers, from 1, as ports */
    struct ensemble *ensemble;            /* NULL: the servers are somebody else's */
    const struct sim_options *simulation; /* for DRIVER_SIMULATED; its seed is the plan's */
    struct load_watch watch;
    uint32_t companions; /* sessions beside the load that are this program's */
};

struct load_trial {
    const struct load_plan *plan;
    const struct load_host *host;
    struct sim *sim;             /* of a simulated load; else NULL */
    struct setup_session *setup; /* the host's, or the simulation's own */
    struct server_counters counters;
    struct load_shared *load; /* the result's */
    struct load_result *result;
    struct load_faults faults;
    struct workers workers;
    bool are_working; /* the workers */
    bool has_root;    /* the trial's root znode exists */
    struct watchdog watchdog;
    struct error error; /* the watchdog's */
    struct load_progress progress;
    uint64_t shown_ns; /* the last progress, on the host's clock */
    struct server_counters_reading at_start;
    uint64_t started_ns;             /* when that was taken, of the loop's time */
    uint64_t setup_session_requests; /* of the set-up session until then */
    /* The longest that this process did not run in the measured time: what it reads at the end of
     * a second, of the servers' and of the workers' CPU, is late then. */
    uint64_t absent_ns;
    enum fleet_end end; /* how it has gone so far */
};

/* The loop's time. */
uint64_t load_trial_now_ns(const struct load_trial *trial);

/*
 * Creates the trial's root znode, starts the workers, opens the sessions, has them lay out their
 * znodes, and reads the servers' counters. plan, host and *trial must outlive load_trial_end, and
 * *trial must not be moved. Errors, and a fleet that has ended too early, are in *trial, for
 * load_trial_end to return.
 */
void load_trial_begin(struct load_trial *trial, const struct load_plan *plan,
                      const struct load_host *host);

/* Has the sessions send operations from now on; the caller sets the times of struct load_shared,
 * those behind starts_ns. Does nothing if the trial has ended. */
void load_trial_start(struct load_trial *trial);

/* Lets time pass until until_ns, while the fleet is watched over and the plan's faults that are due
 * before until_ns are carried out: the last of them may take longer. A fault that is due at
 * until_ns is one of the next call. */
void load_trial_wait(struct load_trial *trial, uint64_t until_ns);

/* Waits for the beginning of the measured time: from here on it counts how long a worker does not
 * run. */
void load_trial_warm_up(struct load_trial *trial);

/*
 * Waits for all replies, compares the counts with the servers' if `alone` (nobody else has used
 * them since load_trial_begin, but the set-up session for reading), deletes all znodes, and ends
 * the workers. On success *result is the caller's to load_result_free; result->end is how the
 * trial has ended.
 */
MUST_CHECK enum error_kind load_trial_end(struct load_trial *trial, bool alone,
                                          struct load_result **result, struct error *error);

#endif
