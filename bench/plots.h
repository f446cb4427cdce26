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

/* Draws all plots, as SVG and PNG, into <run>/plots. False if that could not be done, with the
 * reason in why: the run is none the worse for it. */
bool plots_draw(const struct results *results, const struct options *options, char *why,
                size_t size);

/* The same of a comparison: compare.csv of the folder. recipes: their names with blanks between,
 * none of which has a quote in it. */
bool plots_draw_comparison(const char *folder, const char *recipes, char *why, size_t size);

#endif
