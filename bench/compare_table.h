// SPDX-License-Identifier: Apache-2.0
/*
 * compare_table: a comparison for the terminal, under 100 columns. Layer: bench.
 */
#ifndef BENCH_COMPARE_TABLE_H
#define BENCH_COMPARE_TABLE_H

#include "bench/ratios.h"
#include "bench/sides.h"

#include <stdio.h>

/* A line for each side: its letter, and what it is. */
void compare_table_write_sides(const struct sides *sides, FILE *stream);

/* A line for each cell and side. */
void compare_table_write(const struct ratios *ratios, FILE *stream);

/* A sentence for each recipe and side, at the largest number of clients that can be compared. */
void compare_table_tell(const struct ratios *ratios, const struct sides *sides, FILE *stream);

/* A line for each side with trials whose own verdict had failed, and for each exact count that
 * differs. */
void compare_table_write_failures(const struct ratios *ratios, const struct sides *sides,
                                  FILE *stream);

#endif
