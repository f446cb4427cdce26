// SPDX-License-Identifier: Apache-2.0
/*
 * turn: the searches of a plan, which take turns, a trial each, so that a drift of the machine or
 * of the servers affects all of them alike. Layer: bench/plan.
 *
 * Invariant: a trial is reported to its search only when the files have it; one that --max-time or
 * an error has ended is neither kept nor reported.
 */
#ifndef BENCH_PLAN_TURN_H
#define BENCH_PLAN_TURN_H

#include "bench/plan/internal.h"

/* The search for one recipe on one topology. */
struct plan_search {
    struct search search;
    const struct recipe *recipe;
    size_t topology;
};

/* All searches: for each topology one for each recipe, in the order of the options. */
struct plan_searches {
    struct plan_options *options; /* the caller's */
    struct series series;
    struct plan_search *list;
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    enum plan_cut cut;
    uint64_t took_ns;  /* the trials so far, from the first znode to the last */
    size_t took_short; /* that many short trials would have taken as long */
    struct plan_results results[OPTIONS_TOPOLOGIES_MAX];
};

/* Runs the next trial of a search, again if other programs have disturbed it. *ran becomes true,
 * and is unchanged if this search has ended, or all have, as searches->cut then says. Errors of
 * plan_guard_open, background_run, trial_run and file_set_commit. */
MUST_CHECK enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search,
                                         bool *ran, struct error *error);

/* Runs a trial of the least size that is not kept: a JVM's first requests are slow. */
MUST_CHECK enum error_kind plan_turn_warm_up(struct plan_searches *searches,
                                             struct plan_search *search, struct error *error);

/* Adds the time of a trial, from which the time left is estimated. */
void plan_turn_learn(struct plan_searches *searches, bool longer, uint64_t took_ns);

/* How many trials all searches have still to run, and how long these take, both estimates: a long
 * trial takes PLAN_LONG times as long as a short one. */
size_t plan_turn_foresee(const struct plan_searches *searches, uint64_t *left_ns);

#endif
