// SPDX-License-Identifier: Apache-2.0
/*
 * fits: how the costs of each recipe grow: fits.csv, and the sentences of the summary. Layer:
 * bench/run.
 *
 * Totals are fitted against the clients n, costs of a handoff against its measured waiters W. Fits
 * of times leave out trials that are not valid; all fits leave out trials with a failed verdict.
 * Counts that equal their law at every level are reported as the law, without a fit.
 */
#ifndef BENCH_RUN_FITS_H
#define BENCH_RUN_FITS_H

#include "bench/run/trial_rows.h"
#include "bench/run/waiters.h"
#include "measure/csv.h"

#include <stdio.h>

extern const char fits_columns[];

/* The rows of one recipe. */
void fits_write(const struct table *rows, const struct waiters *waiters,
                const struct trial_row_context *context, struct csv *csv);

/* The sentences of one recipe: "nonscalable: RPCs: exactly n² + n at every n: O(n²)", how bytes and
 * drain time grow, and the cost of one more waiter. */
void fits_tell(const struct table *rows, const struct recipe *recipe, const struct options *options,
               FILE *stream);

/* How the RPCs of a recipe grow: "O(n²)", as fits_tell says it; NULL if that is undetermined. */
const char *fits_order_of_rpcs(const struct table *rows, const struct recipe *recipe,
                               const struct options *options);

/* One sentence for all recipes if the run has too few numbers of clients for a fit: which of RPCs,
 * bytes and times are undetermined. */
void fits_tell_levels(const struct table *rows, const struct options *options, FILE *stream);

#endif
