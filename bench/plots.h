// SPDX-License-Identifier: Apache-2.0
/*
 * plots: the pictures of a run, or of a comparison of runs. Layer: bench.
 *
 * The scripts (plots/ of the sources, share/zkherd/plots of an installation) read the numbers of
 * the folder's CSV files and nothing else. They draw into <folder>/plots.
 */
#ifndef BENCH_PLOTS_H
#define BENCH_PLOTS_H

#include <stdbool.h>
#include <stddef.h>

enum plots_end {
    PLOTS_DRAWN,
    PLOTS_NOTHING,     /* there was nothing to draw */
    PLOTS_SKIPPED,     /* it could not be done: why has the reason */
    PLOTS_INTERRUPTED, /* and none is left */
};

/* The formats, a bit each: svg, png, pdf, eps. */
#define PLOTS_FORMATS_DEFAULT 3u /* svg and png */

/* Reads a list such as "svg,pdf". False, with *formats as it was, if it names anything else, or
 * nothing. */
bool plots_parse_formats(const char *list, unsigned *formats);

/* What is to be drawn. */
struct plots {
    const char *folder;
    const char *recipes; /* their names with blanks between, in this order */
    unsigned formats;    /* at least one */
    int interrupts;      /* -1, or a descriptor that becomes readable when it is to be given up */
};

/* Draws all plots of a run for which there are data; the run is none the worse if that cannot be
 * done. */
enum plots_end plots_draw(const struct plots *plots, char *why, size_t size);

/* The same of a comparison. labels: the names of its sides, whoever gave them. */
enum plots_end plots_draw_comparison(const struct plots *plots, const char *const labels[],
                                     size_t label_count, char *why, size_t size);

#endif
