// SPDX-License-Identifier: Apache-2.0
/*
 * testbed: runs the trials of the experiments, on servers or in a simulation. Layer: bench/claims.
 *
 * An experiment asks for a drain, changes the plan of the drain, runs the trial, and reads the
 * result and the ledger.
 */
#ifndef BENCH_CLAIMS_TESTBED_H
#define BENCH_CLAIMS_TESTBED_H

#include "base/error.h"
#include "trial/trial.h"

#include <stdint.h>

#define TESTBED_ROOT_MAX 96

struct testbed {
    struct trial_host host; /* host.watch: for each trial without an observer */
    const char *root;       /* the parent of the trials' root znodes */
    uint64_t seed;
    uint64_t sessions_most;        /* sessions that the servers allow at a time; 0: no limit */
    uint64_t timeout_ns;           /* the longest time without progress in a trial */
    unsigned trials;               /* trials that have begun */
    const struct trial_plan *plan; /* the plan of the running trial, for host.watch; else NULL */
    /* What an experiment does besides trials, for the progress, with the context of host.watch. May
     * be NULL. */
    void (*say)(void *context, const char *what);
};

/* Must not be moved or copied between testbed_run and testbed_clear. */
struct testbed_trial {
    struct trial_plan plan;
    /* Called about ten times a second while the trial runs, instead of host.watch. May be NULL. */
    void (*observe)(void *context, const struct trial_progress *progress);
    void *context;
    char root[TESTBED_ROOT_MAX];
    struct trial_result *result; /* NULL: the trial has not run */
};

/* A drain of so many clients under lockstep, with one lock and one process, and with no death but
 * the recipe's. */
struct testbed_trial testbed_drain(const struct testbed *testbed, const struct recipe *recipe,
                                   uint32_t clients);

/* Runs a trial. On success trial->result is set, until testbed_clear. ERROR_CONNECTION_LIMIT,
 * before anything runs, if the servers do not allow so many sessions; or an error of trial_run. */
MUST_CHECK enum error_kind testbed_run(struct testbed *testbed, struct testbed_trial *trial,
                                       struct error *error);

/* Frees the result. A trial that has not run, or that is clear already, is fine. */
void testbed_clear(struct testbed_trial *trial);

/* Shows what the experiment does; see struct testbed. */
void testbed_say(const struct testbed *testbed, const char *what);

/* The row of a handoff of the first lock. */
const struct ledger_row *testbed_row(const struct testbed_trial *trial, uint64_t handoff);

#endif
