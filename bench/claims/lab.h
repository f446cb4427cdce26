// SPDX-License-Identifier: Apache-2.0
/*
 * lab: where the trials of an experiment are made: on servers, or in a simulation if its host has
 * one. Layer: bench/claims.
 *
 * An experiment asks for a drain, changes its plan to what it wants to see, runs it, and looks at
 * the result, ledger included.
 */
#ifndef BENCH_CLAIMS_LAB_H
#define BENCH_CLAIMS_LAB_H

#include "base/error.h"
#include "trial/trial.h"

#include <stdint.h>

#define LAB_ROOT_MAX 96

struct lab {
    struct trial_host host; /* its watch is of every trial without one of its own */
    const char *root;       /* the znode that the trials' roots are made in */
    uint64_t seed;
    uint64_t sessions_most;        /* that the servers allow at a time; 0: as many as are needed */
    uint64_t timeout_ns;           /* the longest time in which nothing may move in a trial */
    unsigned trials;               /* so many were made */
    const struct trial_plan *plan; /* of the trial that runs, for the watch; else NULL */
};

/* Must not be moved or copied between lab_run and lab_clear. */
struct lab_trial {
    struct trial_plan plan;
    /* Called about ten times a second while the trial runs, in place of the lab's; or NULL. */
    void (*observe)(void *context, const struct trial_progress *progress);
    void *context;
    char root[LAB_ROOT_MAX];
    struct trial_result *result; /* NULL: it has not run */
};

/* A drain of so many clients under lockstep, on one lock in one process; nobody dies but as the
 * recipe says. */
struct lab_trial lab_drain(const struct lab *lab, const struct recipe *recipe, uint32_t clients);

/* Runs a trial: its result is then there, to lab_clear. ERROR_CONNECTION_LIMIT, and nothing has
 * run, if the servers do not allow so many sessions; else the errors are those of trial_run. */
MUST_CHECK enum error_kind lab_run(struct lab *lab, struct lab_trial *trial, struct error *error);

/* One that has not run, or is clear already, is fine. */
void lab_clear(struct lab_trial *trial);

/* The row of a handoff of the first lock. */
const struct ledger_row *lab_row(const struct lab_trial *trial, uint64_t handoff);

#endif
