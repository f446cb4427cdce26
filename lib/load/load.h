// SPDX-License-Identifier: Apache-2.0
/*
 * load: a trial of a load: a warm-up, and a measured time of whole seconds; or a load that goes on
 * while something else contends for the servers. Layer: load; the top of the library, beside trial.
 *
 * Invariant: whatever the outcome, after its end no process, no session and no znode of the
 * trial is left; what a server does not confirm in time ends with its session's timeout.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "fleet/experiment.h"
#include "load/load_result.h"

/* Runs a trial; watch: NULL: none. On success (the trial itself may have failed, as the result
 * says) *result is the caller's to load_result_free. The plan must outlive the result. */
MUST_CHECK enum error_kind load_run(const struct load_plan *plan, const struct fleet_host *host,
                                    const struct load_watch *watch, struct load_result **result,
                                    struct error *error);

/* ------------------------------------------------------------------ its steps */

/* load_trial_begin, load_trial_start; the caller lets time pass; load_background_end. */
struct load_trial {
    const struct load_plan *plan;
    const struct load_watch *watch; /* or NULL */
    struct experiment experiment;
    struct load_result *result;
    struct load_shared *load; /* the result's */
    struct load_progress progress;
    uint64_t shown_ns; /* the last progress, on the host's clock */
    /* The longest that this process did not run in the measured time: what it reads at the end of
     * a second, of the servers' and of the workers' CPU, is late then. */
    uint64_t absent_ns;
    /* What the plan's company has sent to these servers itself, and pings at most. */
    struct tally guests;
    uint64_t guest_pings;
};

/* Whether it goes well so far. */
static inline bool load_trial_goes_on(const struct load_trial *trial)
{
    return experiment_goes_on(&trial->experiment);
}

/* Creates the trial's root znode, starts the workers, opens the sessions, has them lay out their
 * znodes, and reads the servers' counters. The arguments must outlive the trial's end, which is due
 * in any case, and returns the errors. watch: NULL: none. */
struct load_trial *load_trial_begin(const struct load_plan *plan, const struct fleet_host *host,
                                    const struct load_watch *watch);

/* Has the sessions send operations from now on, and waits for the end of the warm-up, from when it
 * counts how long a worker does not run. settles, ends: the measured time, the load, ends after the
 * plan's seconds. Does nothing if the trial has ended. */
void load_trial_start(struct load_trial *trial, bool settles, bool ends);

/* Lets time pass until until_ns, while the fleet is watched over. */
void load_trial_wait(struct load_trial *trial, uint64_t until_ns);

/* ------------------------------------------------------------------ a load in the background
 *
 * The load is measured twice: alone, for the plan's seconds, and while the servers are contended
 * for. What is between the two, the opening of other sessions, is measured in neither. */

/* Opens the sessions, warms up, and measures the load alone. Returns whether it goes on: false if
 * it has ended too early, which load_background_end explains; that must be called in any case, and
 * plan and host must outlive it. Real servers only. */
bool load_background_begin(struct load_trial **trial, const struct load_plan *plan,
                           const struct fleet_host *host);

/* Whether the load still goes on: false once it has lost a session or its worker, which
 * load_background_end explains. May be called while another coordinator runs in the process. */
bool load_background_goes_on(const struct load_trial *trial);

/* Begins and ends the contended time, also beside another coordinator. The first calls count; no
 * beginning behind an end. */
void load_background_begin_contention(struct load_trial *trial);
void load_background_end_contention(struct load_trial *trial);

/* Waits for all replies, and clears everything away. Errors of load_run. The servers' counters,
 * which have other uses in them, are not compared. */
MUST_CHECK enum error_kind load_background_end(struct load_trial *trial,
                                               struct load_result **result, struct error *error);

#endif
