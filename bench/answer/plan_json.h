// SPDX-License-Identifier: Apache-2.0
/*
 * plan_json: an answer for `zkherd plan --slo --json`. Layer: bench/answer.
 *
 * Invariant: the keys are those of docs/schema/plan.schema.json; those that are also columns of
 * answers.csv have the same value.
 */
#ifndef BENCH_ANSWER_PLAN_JSON_H
#define BENCH_ANSWER_PLAN_JSON_H

#include "bench/answer/plan_table.h"

#include <jansson.h>

/* A new object, with the sentences of the answer. NULL without memory. */
json_t *plan_json_answer(const struct plan_question *question, const struct plan_told *told);

#endif
