// SPDX-License-Identifier: Apache-2.0
/*
 * plot: `zkherd plot`: draws the plots of runs and comparisons again. Layer: bench/plot.
 */
#ifndef BENCH_PLOT_PLOT_H
#define BENCH_PLOT_PLOT_H

/* argv[0] is the subcommand. Returns the exit status. */
int plot_main(int argc, char **argv);

#endif
