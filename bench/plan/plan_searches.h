// SPDX-License-Identifier: Apache-2.0
/*
 * plan_searches: the searches of `zkherd plan --slo`, one for each recipe on each topology of
 * servers, with their records, and how much they have still to do. Layer: bench/plan.
 *
 * The searches take turns, a trial each (plan_turn.h), so that a drift of the machine or of the
 * servers affects all of them alike.
 *
 * Invariant: the list has the searches of each topology one after the other, and among these one
 * for each recipe, in the order of the options.
 */
#ifndef BENCH_PLAN_PLAN_SEARCHES_H
#define BENCH_PLAN_PLAN_SEARCHES_H

#include "bench/answer/plan_record.h"
#include "bench/output/series.h"
#include "bench/probe/plan_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* size of the path of a trial's root znode. */
#define PLAN_SEARCHES_ROOT_MAX 96

/* How long the finished trials of one length took, from the first znode to the last. */
struct plan_experience {
    uint64_t took_ns;
    size_t trials;
};

struct plan_searches {
    struct plan_options *options; /* the caller's */
    struct series series;
    struct plan_record records[OPTIONS_TOPOLOGIES_MAX];
    struct search *list;
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    enum plan_cut cut;
    struct plan_experience experience[2]; /* of short trials, of long ones */
};

/* Makes the list, when the question and the proposals of the options are known. ERROR_NO_MEMORY;
 * plan_searches_deinit is due in any case. */
MUST_CHECK enum error_kind plan_searches_begin(struct plan_searches *searches, struct error *error);

/* Frees the list, the records and the series. */
void plan_searches_deinit(struct plan_searches *searches);

/* Of the search with this index in the list: its topology, its recipe, and the samples of that
 * topology, among which are those of other recipes. */
size_t plan_searches_topology(const struct plan_searches *searches, size_t index);
const struct recipe *plan_searches_recipe(const struct plan_searches *searches, size_t index);
const struct plan_samples *plan_searches_samples(const struct plan_searches *searches,
                                                 size_t index);

/* The trials that a search has kept, those for its knee included. */
size_t plan_searches_kept(const struct plan_searches *searches, size_t index);

/* What a search has still to do, the trials for its knee included; nothing if there is no memory to
 * find out. */
struct search_forecast plan_searches_foresee(const struct plan_searches *searches, size_t index);

/* Before a trial: sets series.planned, and how far the progress has come. Both the number of trials
 * and the time are estimates. */
void plan_searches_progress(struct plan_searches *searches);

#endif
