// SPDX-License-Identifier: Apache-2.0
/*
 * paper_results: what an evaluation ends with: its table and its judgements, as files, as a plot,
 * and for people. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_PAPER_RESULTS_H
#define BENCH_PAPER_PAPER_RESULTS_H

#include "bench/cli/options.h"
#include "bench/output/manifest.h"
#include "bench/paper/judgement.h"

#include <jansson.h>
#include <stdio.h>

/* Constant. */
struct paper_results {
    const char *file;  /* "table1.csv" */
    const void *table; /* for the functions */
    void (*write)(const void *table, struct csv *csv);
    /* For a terminal of so many columns: the figures, above the judgements; and what is to be known
     * of them, below. ERROR_NO_MEMORY. */
    enum error_kind (*print)(const void *table, const struct load_options *options,
                             unsigned columns, FILE *stream, struct error *error);
    void (*explain)(const void *table, const struct load_options *options, FILE *stream);
    /* A new list of the cells on one of the options' topologies. NULL without memory. */
    json_t *(*describe)(const void *table, size_t topology);
    const struct judgements *judgements;
};

/* Writes the file and shape.csv into the folder of the options, draws the plots, adds the page, and
 * prints; with --quiet or --json, complains about what does not hold. manifest: that of the folder;
 * NULL: each topology has its own. interrupts: as in bench/output/plots.h. Returns 0, or the exit
 * status of an error that has been complained about. */
int paper_results_tell(const struct paper_results *results, const struct load_options *options,
                       const struct manifest *manifest, int interrupts);

/* Writes another file of rows into the folder. Errors of base/output.h. */
MUST_CHECK enum error_kind paper_results_write(const char *folder, const char *name,
                                               const void *table,
                                               void (*write)(const void *table, struct csv *csv),
                                               struct error *error);

#endif
