// SPDX-License-Identifier: Apache-2.0
/* survey_table: the locks below a folder, for people. Layer: bench/inspect. */
#ifndef BENCH_INSPECT_SURVEY_TABLE_H
#define BENCH_INSPECT_SURVEY_TABLE_H

#include "bench/inspect/survey.h"

#include <stdio.h>

/* Writes the line that sums up, a row for each lock, for a terminal of so many columns, and whether
 * the search is incomplete. Errors of grid_write. */
MUST_CHECK enum error_kind survey_table_write(const char *path, const struct survey *survey,
                                              size_t width, FILE *stream, struct error *error);

#endif
