// SPDX-License-Identifier: Apache-2.0
/*
 * clean_json: what `zkherd clean --json` prints. Layer: bench/clean.
 *
 * Invariant: the keys are those of docs/schema/clean.schema.json.
 */
#ifndef BENCH_CLEAN_CLEAN_JSON_H
#define BENCH_CLEAN_CLEAN_JSON_H

#include "bench/target/remains.h"

#include <stdio.h>

/* Writes one object. cut_short: the error that ended the removal, or ERROR_NONE. ERROR_NO_MEMORY.
 */
MUST_CHECK enum error_kind clean_json_write(const struct remains_list *list,
                                            enum error_kind cut_short, FILE *stream,
                                            struct error *error);

#endif
