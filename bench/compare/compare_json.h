// SPDX-License-Identifier: Apache-2.0
/*
 * compare_json: what `zkherd compare --json` prints. Layer: bench/compare.
 *
 * Invariant: the keys are those of docs/schema/compare.schema.json.
 */
#ifndef BENCH_COMPARE_COMPARE_JSON_H
#define BENCH_COMPARE_COMPARE_JSON_H

#include "bench/compare/ratios.h"
#include "bench/output/verdict.h"

#include <stdio.h>

/* Writes one object. folder: that of compare.csv. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind compare_json_write(const struct ratios *ratios,
                                              const struct compared_runs *compared,
                                              enum verdict verdict, const char *folder,
                                              FILE *stream, struct error *error);

#endif
