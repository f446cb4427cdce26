// SPDX-License-Identifier: Apache-2.0
/*
 * fits: how each recipe's costs grow: fits.csv, and the sentences of the summary. Layer: bench.
 *
 * Totals are fitted against the clients n, costs of a handoff against its waiters W as measured.
 * Trials that are not valid stay out of the fits on time; trials with a failed verdict stay out of
 * all.
 */
#ifndef BENCH_FITS_H
#define BENCH_FITS_H

#include "bench/sample.h"
#include "bench/waiters.h"
#include "measure/csv.h"

#include <stdio.h>

extern const char fits_columns[];

/* The rows of one recipe. */
void fits_write(const struct samples *samples, const struct waiters *waiters,
                const struct sample_context *context, struct csv *csv);

/* What they mean, in a sentence or two: "nonscalable: RPCs = n² + n exactly: O(n²)". */
void fits_tell(const struct samples *samples, const struct waiters *waiters, FILE *stream);

#endif
