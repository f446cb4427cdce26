// SPDX-License-Identifier: Apache-2.0
/*
 * background_price: what the contention for a lock costs the load beside it: background.csv, and
 * sentences. Layer: bench/run.
 *
 * A price is a ratio: the response time while clients contend, to that of the same trial alone. A
 * value is the geometric mean over the valid trials of a cell, and its interval is 95 %, from
 * STATISTICS_TRIALS_MIN trials on.
 */
#ifndef BENCH_RUN_BACKGROUND_PRICE_H
#define BENCH_RUN_BACKGROUND_PRICE_H

#include "bench/run/trial_rows.h"
#include "measure/csv.h"

#include <stdio.h>

/* The columns of background.csv, and its rows for a recipe: one for each number of clients that has
 * a valid trial. */
extern const char background_price_columns[];
void background_price_write(const struct table *rows, const struct recipe *recipe,
                            const struct trial_row_context *context, struct csv *csv);

/* Writes a sentence for each recipe and percentile, at the most clients; nothing without
 * --background. */
void background_price_tell(const struct table *rows, const struct options *options, FILE *stream);

#endif
