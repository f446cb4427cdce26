// SPDX-License-Identifier: Apache-2.0
/*
 * report_json: what `zkherd report --json` prints. Layer: bench/report.
 *
 * Invariant: the keys are those of docs/schema/report.schema.json.
 */
#ifndef BENCH_REPORT_REPORT_JSON_H
#define BENCH_REPORT_REPORT_JSON_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* Writes one object: the file of the page, and the folders as they were named. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind report_json_write(const char *file, const char *const folders[],
                                             size_t count, FILE *stream, struct error *error);

#endif
