// SPDX-License-Identifier: Apache-2.0
/*
 * plan_dry_run_json: what `zkherd plan --slo --dry-run --json` prints. Layer: bench/plan.
 *
 * Invariant: the keys are those of docs/schema/plan-dry-run.schema.json.
 */
#ifndef BENCH_PLAN_PLAN_DRY_RUN_JSON_H
#define BENCH_PLAN_PLAN_DRY_RUN_JSON_H

#include "bench/plan/plan_demand.h"
#include "bench/probe/plan_options.h"

#include <jansson.h>
#include <stdio.h>

/* Takes the sentences about the proposals, and writes one object. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_dry_run_json_write(const struct plan_options *options,
                                                   const struct plan_demand_row *rows, size_t count,
                                                   json_t *sentences, FILE *stream,
                                                   struct error *error);

#endif
