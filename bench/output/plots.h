// SPDX-License-Identifier: Apache-2.0
/*
 * plots: the pictures of a run, of a comparison of runs, of a load, of a plan, or of an autopsy.
 * Layer: bench/output.
 *
 * The scripts (plots/ of the sources, share/zkherd/plots of an installation) read the numbers of
 * the folder's CSV files, and are told what the results are of (bench/output/about.h): that stands
 * below each picture. They draw into <folder>/plots.
 */
#ifndef BENCH_OUTPUT_PLOTS_H
#define BENCH_OUTPUT_PLOTS_H

#include "base/memory.h"

#include <jansson.h>
#include <stddef.h>

enum plots_end {
    PLOTS_DRAWN,
    PLOTS_NOTHING,     /* there was nothing to draw */
    PLOTS_SKIPPED,     /* it could not be done: why has the reason */
    PLOTS_INTERRUPTED, /* no plot is left */
};

/* As many runs as a comparison may have. */
#define COMPARED_RUNS_MAX 16

/* What a folder holds. */
enum plots_kind {
    PLOTS_OF_RUN,
    PLOTS_OF_COMPARISON,
    PLOTS_OF_LOAD,  /* also the cells alone, of a load on several topologies */
    PLOTS_OF_PAPER, /* a load whose own plots are drawn already */
    PLOTS_OF_PLAN,
    PLOTS_OF_AUTOPSY,
};

/* What is to be drawn. */
struct plots {
    enum plots_kind kind;
    const char *folder;
    struct growing_text recipes; /* in this order; a load has none */
    json_t *manifest; /* of the folder, which does not have it yet; NULL: it has, or never will */
    unsigned formats; /* at least one (bench/cli/arguments.h) */
    int interrupts;   /* -1, or a descriptor that becomes readable when it is to be given up */
    const char *const *labels; /* comparison: the names of the runs, any bytes; else NULL */
    size_t label_count;
    void (*drawn)(void *context, const char *picture); /* of each picture, whole; or NULL */
    void *context;
    char why[640];
};

/* Adds a recipe, whose name has no blank. */
void plots_add_recipe(struct plots *plots, const char *name);

/* Draws all plots for which there are data, and frees the recipes; what they are drawn from is none
 * the worse if that cannot be done. If the file of a plot has nothing to draw, as a trace without
 * waiters, an older picture of that plot is removed; if the folder does not have the file, the
 * picture stays. */
enum plots_end plots_draw(struct plots *plots);

#endif
