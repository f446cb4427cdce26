// SPDX-License-Identifier: Apache-2.0
/*
 * plan_knee: the knee for hot locks from the trials of a search, and the trials that it needs
 * besides. Layer: bench/answer.
 *
 * The knee (capacity/knee.h) needs the time of a handoff of one lock alone, and the demand of a
 * handoff among many hot locks, each with as many clients. On private servers, whose CPU time is
 * known, trials are run for it when a search for hot locks has ended: short ones with one lock, and
 * long ones with the most locks that the search has tried, unless the brake has ended a trial with
 * so many, or the search has enough of them.
 *
 * A search for waiters, or for sessions on one lock, has trials of a lone lock at its answer.
 * Nothing more is run for it: the demand is that of the lone lock, and the knee a lower bound.
 *
 * Invariant: a trial that is run for the knee enters nothing but the knee; the search knows nothing
 * of it. A trial that was not valid, that the brake has ended, or that ended before it had its
 * samples because it failed, does not enter the knee.
 */
#ifndef BENCH_ANSWER_PLAN_KNEE_H
#define BENCH_ANSWER_PLAN_KNEE_H

#include "bench/probe/plan_options.h"
#include "bench/probe/plan_sample.h"
#include "capacity/knee.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of each kind, so that there is an interval. If so many that are run tell nothing, no other is
 * run: before the last there are at most one less of those that tell and of those that do not. */
#define PLAN_KNEE_TRIALS      STATISTICS_TRIALS_MIN
#define PLAN_KNEE_TRIALS_MOST (2 * PLAN_KNEE_TRIALS - 1)

/* Whether the knee is known, or what it lacks. */
enum plan_knee_state {
    PLAN_KNEE_KNOWN,
    PLAN_KNEE_NO_CPU_TIME, /* of the servers: they are not private */
    PLAN_KNEE_NO_TRIAL,    /* of a lone lock: none was run */
    PLAN_KNEE_NOT_VALID,   /* none of a lone lock was valid */
    PLAN_KNEE_NOT_WHOLE,   /* each of these that was valid ended before it had its samples */
};

struct plan_knee {
    enum plan_knee_state state;
    struct knee found; /* PLAN_KNEE_KNOWN; else its numbers are NaN */
    uint64_t clients;  /* of each lock */
};

/* Whether trials of one lock alone belong to the question. */
bool plan_knee_is_told(const struct plan_question *question);

/* Whether trials are run for the knee after the searches. */
bool plan_knee_has_trials(const struct plan_options *options);

/* The trials that a search has still to run for its knee, after the samples so far. */
struct search_forecast plan_knee_missing(const struct plan_question *question,
                                         const struct plan_samples *samples,
                                         const struct recipe *recipe);

/* The next of them. False, with *asked unchanged: none is missing. */
bool plan_knee_next(const struct plan_question *question, const struct plan_samples *samples,
                    const struct recipe *recipe, struct search_probe *asked);

/* Such a trial goes on until it has its samples, whether it meets the objective or not. */
struct plan_probe plan_knee_probe(const struct plan_question *question,
                                  const struct search_probe *asked);

/* The knee from the trials of a search, among those of other recipes. best: the size whose figures
 * the answer tells, which says how many clients a lock has if they are the unknown. */
struct plan_knee plan_knee_find(const struct plan_options *options,
                                const struct plan_samples *samples, const struct recipe *recipe,
                                uint64_t best);

#endif
