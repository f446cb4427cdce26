// SPDX-License-Identifier: Apache-2.0
/*
 * run_json: the cells of a run for `zkherd run --json`. Layer: bench/run.
 *
 * Invariant: the keys are those of docs/schema/run.schema.json.
 */
#ifndef BENCH_RUN_RUN_JSON_H
#define BENCH_RUN_RUN_JSON_H

#include "bench/cli/options.h"
#include "bench/run/sample.h"

#include <jansson.h>

/* A new list with the cells that have a trial, in the order of the table. NULL without memory. */
json_t *run_json_cells(const struct samples *samples, const struct options *options);

#endif
