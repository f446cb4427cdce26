// SPDX-License-Identifier: Apache-2.0
/*
 * compare_table: a comparison for the terminal. Layer: bench/compare.
 */
#ifndef BENCH_COMPARE_COMPARE_TABLE_H
#define BENCH_COMPARE_COMPARE_TABLE_H

#include "bench/compare/ratios.h"
#include "bench/output/compared_runs.h"

#include <stddef.h>
#include <stdio.h>

/* A line for each side: its letter, and what it is. */
void compare_table_write_sides(const struct compared_runs *compared, FILE *stream);

/* A row for each cell and side, and below them what all share. Where a row would be wider than
 * `width`, the least important columns are left out. ERROR_NO_MEMORY, with nothing written. */
MUST_CHECK enum error_kind compare_table_write(const struct ratios *ratios, size_t width,
                                               FILE *stream, struct error *error);

/* A sentence for each recipe and side, at the largest number of clients that can be compared. */
void compare_table_tell(const struct ratios *ratios, const struct compared_runs *compared,
                        FILE *stream);

/* To stderr, a line for each side with trials whose own verdict had failed, and for each exact
 * count that differs. */
void compare_table_complain(const struct ratios *ratios, const struct compared_runs *compared);

#endif
