// SPDX-License-Identifier: Apache-2.0
/*
 * plots: has gnuplot draw a run, or a comparison of runs. Layer: bench.
 *
 * The scripts (plots/ of the sources, share/zkherd/plots of an installation) read the folder's CSV
 * files and nothing else.
 */
#ifndef BENCH_PLOTS_H
#define BENCH_PLOTS_H

#include "bench/options.h"
#include "bench/results.h"

#include <stdbool.h>
#include <stddef.h>

enum plots_end {
    PLOTS_DRAWN,
    PLOTS_SKIPPED,     /* it could not be done: why has the reason */
    PLOTS_INTERRUPTED, /* and none is left */
};

/* Draws all plots, as SVG and PNG, into <run>/plots; the run is none the worse if it cannot be
 * done. interrupts: -1, or a descriptor that becomes readable when it is to be given up. */
enum plots_end plots_draw(const struct results *results, const struct options *options,
                          int interrupts, char *why, size_t size);

/* The same of a comparison: compare.csv of the folder. False if it could not be done, with the
 * reason in why. recipes: their names with blanks between, none of which has a quote in it. */
bool plots_draw_comparison(const char *folder, const char *recipes, char *why, size_t size);

#endif
