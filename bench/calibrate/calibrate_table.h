// SPDX-License-Identifier: Apache-2.0
/*
 * calibrate_table: what `zkherd calibrate` prints. Layer: bench/calibrate.
 *
 * Invariant: a standard deviation of logarithms is told as a factor, the geometric standard
 * deviation; of small ones a percentage would be about the same, of large ones it would not.
 */
#ifndef BENCH_CALIBRATE_CALIBRATE_TABLE_H
#define BENCH_CALIBRATE_CALIBRATE_TABLE_H

#include "base/error.h"
#include "bench/model/costs_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CALIBRATE_TABLE_WARNING_SIZE 240

/* The costs with their intervals, the cells as measured and as fitted, and what the model does not
 * explain. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind calibrate_table_write(const struct costs_file *costs, FILE *stream,
                                                 struct error *error);

/* Whether the trials scatter so much in this time that the costs tell little. Then the warning is
 * written; size >= CALIBRATE_TABLE_WARNING_SIZE. */
bool calibrate_table_warns(const struct costs_file *costs, enum drain_time time, char *text,
                           size_t size);

#endif
