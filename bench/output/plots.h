// SPDX-License-Identifier: Apache-2.0
/*
 * plots: the pictures of a folder of results. Layer: bench/output.
 *
 * The scripts (plots/ of the sources, share/zkherd/plots of an installation) read the numbers of
 * the folder's CSV files, and are given what the results are of (bench/output/about.h): that stands
 * below each picture. They draw into <folder>/plots; some recipes alone, into a folder in it.
 */
#ifndef BENCH_OUTPUT_PLOTS_H
#define BENCH_OUTPUT_PLOTS_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

enum plots_end {
    PLOTS_DRAWN,
    PLOTS_NOTHING, /* there was nothing to draw */
    PLOTS_SKIPPED, /* it could not be done: why has the reason */
};

/* As many runs as a comparison may have. */
#define COMPARED_RUNS_MAX 16

/* What is to be drawn. */
struct plots {
    const char *folder;
    const char *only;    /* the plots whose names begin so; NULL: all */
    const char *recipes; /* the names of those to draw, separated by commas; NULL: all */
    char part[PATH_MAX]; /* set by plots_draw: "/" and these names, the folder in plots; "": all */
    bool bare;           /* without a title and small print */
    unsigned formats;    /* at least one (bench/cli/arguments.h) */
    json_t *pictures;    /* a list, to which the path of each is added; or NULL */
    struct error why;
};

/* Whether a folder has the file of a plot. */
bool plots_are_of(const char *folder);

/* Draws all plots for which there are data; what they are drawn from is none the worse if that
 * cannot be done. If the file of a plot has nothing to draw, as a trace without waiters, an older
 * picture of that plot is removed; if the folder does not have the file, the picture stays. */
enum plots_end plots_draw(struct plots *plots);

/* Draws the plots of a folder whose names begin with `only`, or all; warns, but with --quiet, if
 * that cannot be done. */
void plots_add(const char *folder, const char *only, const struct output_options *output);

#endif
