// SPDX-License-Identifier: Apache-2.0
/*
 * fits: how each recipe's costs grow: fits.csv, and the sentences of the summary. Layer: bench/run.
 *
 * Totals are fitted against the clients n, costs of a handoff against its waiters W as measured.
 * Trials that are not valid stay out of the fits on time; trials with a failed verdict stay out of
 * all. Counts that equal their law at every level are that law, and need no fit.
 */
#ifndef BENCH_RUN_FITS_H
#define BENCH_RUN_FITS_H

#include "bench/run/sample.h"
#include "bench/run/waiters.h"
#include "measure/csv.h"

#include <stdio.h>

extern const char fits_columns[];

/* The rows of one recipe. */
void fits_write(const struct samples *samples, const struct waiters *waiters,
                const struct sample_context *context, struct csv *csv);

/* What they mean, a line each: "nonscalable: RPCs: exactly n² + n at every n: O(n²)", how bytes and
 * the drain's time grow, and what an extra waiter costs. */
void fits_tell(const struct samples *samples, const struct recipe *recipe,
               const struct options *options, FILE *stream);

/* A line for all recipes if the run has too few numbers of clients to fit what no law tells: what
 * of RPCs, bytes and times that leaves undetermined. */
void fits_tell_levels(const struct samples *samples, const struct options *options, FILE *stream);

#endif
