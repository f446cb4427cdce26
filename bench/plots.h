// SPDX-License-Identifier: Apache-2.0
/*
 * plots: has gnuplot draw a run. Layer: bench.
 *
 * The scripts (plots/ of the sources, share/zkherd/plots of an installation) read the run's CSV
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

#endif
