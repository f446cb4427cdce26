// SPDX-License-Identifier: Apache-2.0
/*
 * compare_table: the table that a comparison prints. Layer: bench/compare.
 */
#ifndef BENCH_COMPARE_COMPARE_TABLE_H
#define BENCH_COMPARE_COMPARE_TABLE_H

#include "bench/compare/ratios.h"
#include "bench/output/compared_runs.h"

#include <stddef.h>
#include <stdio.h>

/* A line for each run: its letter and its description. */
void compare_table_write_sides(const struct compared_runs *compared, FILE *stream);

/* A row for each cell and run, and below the rows what all cells have in common. Where a row would
 * be wider than `width`, the least important columns are left out. ERROR_NO_MEMORY, with nothing
 * written. */
MUST_CHECK enum error_kind compare_table_write(const struct ratios *ratios, size_t width,
                                               FILE *stream, struct error *error);

/* To stderr, a line for each run with trials whose verdict failed, and for each exact count that
 * differs. */
void compare_table_complain(const struct ratios *ratios, const struct compared_runs *compared);

/* Writes a ratio to text, in four columns at most; "-": it is not known. */
const char *compare_table_ratio(double ratio, char *text, size_t size);

#endif
