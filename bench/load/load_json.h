// SPDX-License-Identifier: Apache-2.0
/*
 * load_json: the cells of a load for `zkherd load --json`. Layer: bench/load.
 *
 * Invariant: the keys are those of docs/schema/load.schema.json.
 */
#ifndef BENCH_LOAD_LOAD_JSON_H
#define BENCH_LOAD_LOAD_JSON_H

#include "bench/output/load_summary.h"

#include <jansson.h>

/* A new list in *cells with the cells that have a trial, in the order of the table; json_decref
 * frees. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind load_json_cells(const struct load_samples *samples, json_t **cells,
                                           struct error *error);

#endif
