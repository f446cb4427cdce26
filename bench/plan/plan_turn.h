// SPDX-License-Identifier: Apache-2.0
/*
 * plan_turn: one trial of a search: what the search asks for is run below the guard, judged, kept
 * and reported. Layer: bench/plan.
 *
 * Invariant: a trial is reported to its search only when the files have it. A trial that the time
 * of --max-time has ended, or an error, is neither kept nor reported.
 */
#ifndef BENCH_PLAN_PLAN_TURN_H
#define BENCH_PLAN_PLAN_TURN_H

#include "bench/plan/plan_searches.h"

/* Runs the next trial of a search, or, when the search has ended, the next for its knee. *ran
 * becomes true, and is unchanged if there is no such trial or if the time is up, as searches->cut
 * then says. Errors of plan_guard_open, plan_beside_run and plan_record_add. */
MUST_CHECK enum error_kind plan_turn_run(struct plan_searches *searches, size_t index, bool *ran,
                                         struct error *error);

/* Runs a trial of the least size that is not kept: a JVM's first requests are slow. Errors of
 * plan_guard_open and plan_beside_run. */
MUST_CHECK enum error_kind plan_turn_warm_up(struct plan_searches *searches, size_t index,
                                             struct error *error);

#endif
