// SPDX-License-Identifier: Apache-2.0
/*
 * load_trial: the steps of a trial of a load (load.h), in this order: load_trial_begin,
 * load_trial_start; the caller lets time pass; load_background_end, or the end of load_run.
 *
 * Invariant: whatever the outcome, after its end no process, no session and no znode of the
 * trial is left; what a server does not confirm in time ends with its session's timeout.
 */
#ifndef LOAD_LOAD_TRIAL_H
#define LOAD_LOAD_TRIAL_H

#include "fleet/experiment.h"
#include "load/load_result.h"

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

#endif
