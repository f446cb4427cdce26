// SPDX-License-Identifier: Apache-2.0
/*
 * plan_proposal: the size at which a search begins, by a simulation with measured costs. Layer:
 * bench/probe.
 *
 * The same search is run in the simulation, with the same trials and the same verdicts, but with
 * one vote for each size and without fresh trials. The proposal is the largest size that passed.
 * Sizes with more than PLAN_PROPOSAL_SESSIONS_MOST sessions are not simulated.
 *
 * Invariant: no server is asked. Except when the time is up, a proposal depends on what is given
 * alone.
 */
#ifndef BENCH_PROBE_PLAN_PROPOSAL_H
#define BENCH_PROBE_PLAN_PROPOSAL_H

#include "base/clock.h"
#include "base/error.h"
#include "bench/probe/plan_question.h"
#include "sim/options.h"

#include <stdint.h>

#define PLAN_PROPOSAL_SESSIONS_MOST 20000
#define PLAN_PROPOSAL_NS            (10 * NS_PER_S) /* of real time, for one search */

struct plan_proposal {
    uint64_t size;   /* 0: there is none */
    const char *why; /* there is none, a static string; NULL: there is one, or none was wanted */
};

struct plan_proposal_basis {
    const struct plan_question *question; /* completed, without a background */
    struct sim_options simulation;        /* the servers, with their costs */
    uint64_t time_ns;                     /* of one search; what has passed by then is proposed */
    int interrupts;                       /* readable when to give up; -1: never */
};

/* Errors of trial_run (trial/trial.h); *proposal is unchanged then. */
MUST_CHECK enum error_kind plan_proposal_make(const struct plan_proposal_basis *basis,
                                              const struct recipe *recipe,
                                              struct plan_proposal *proposal, struct error *error);

#endif
