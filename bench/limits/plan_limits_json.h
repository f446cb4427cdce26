// SPDX-License-Identifier: Apache-2.0
/*
 * plan_limits_json: what `zkherd plan --limits --json` prints. Layer: bench/limits.
 *
 * Invariant: the keys are those of docs/schema/plan-limits.schema.json.
 */
#ifndef BENCH_LIMITS_PLAN_LIMITS_JSON_H
#define BENCH_LIMITS_PLAN_LIMITS_JSON_H

#include "bench/limits/plan_limits.h"
#include "bench/limits/plan_limits_command_line.h"

#include <jansson.h>
#include <stdio.h>

/* A new object of the limits of servers with this name. NULL without memory. */
json_t *plan_limits_json(const struct plan_limits_options *options, const char *name,
                         const struct plan_given *given);

/* Writes one object with the verdict of an exit status; the results stay the caller's.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_limits_json_write(json_t *results, int status, FILE *stream,
                                                  struct error *error);

#endif
