// SPDX-License-Identifier: Apache-2.0
/*
 * plan_answers: the answers of all searches: gathered from their records, printed, and judged.
 * Layer: bench/plan.
 *
 * Invariant: an answer may be gathered at any time; of a search that goes on it is what is known by
 * then.
 */
#ifndef BENCH_PLAN_PLAN_ANSWERS_H
#define BENCH_PLAN_PLAN_ANSWERS_H

#include "bench/plan/plan_searches.h"

/* Fills answers, an entry for each recipe, of the searches on a topology. Errors of
 * plan_answer_take. */
MUST_CHECK enum error_kind plan_answers_take(const struct plan_searches *searches, size_t topology,
                                             struct plan_answer *answers, struct error *error);

/* Prints the answers, except with --quiet and without --json, and complains about verdicts that
 * failed. *verdict becomes 4 if a search has no answer, and 1 if a verdict failed. Returns 0, or
 * the exit status of an error that has been complained about. */
int plan_answers_tell(const struct plan_searches *searches, int *verdict);

#endif
