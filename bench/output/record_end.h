// SPDX-License-Identifier: Apache-2.0
/*
 * record_end: what the records of all subcommands end with: the plots, and the manifest. Layer:
 * bench/output.
 *
 * Invariant: the first error of an end is the one that is returned.
 */
#ifndef BENCH_OUTPUT_RECORD_END_H
#define BENCH_OUTPUT_RECORD_END_H

#include "bench/output/file_set.h"
#include "bench/output/manifest.h"
#include "bench/output/plots.h"

/* Constant. */
struct record_end {
    struct manifest *manifest;
    const struct file_set *set;
    const struct output_options *output;
    const char *subcommand; /* of an interruption */
    size_t trials_planned;
    const struct error *cut_short; /* why it ended before its last trial, or NULL */
    int interrupts;                /* as in bench/output/plots.h */
};

/* Draws the plots in the folder of the set. nothing: why there is nothing to draw, for stderr,
 * except with --quiet, or of trials that were cut short; NULL: that is not told. Plots that are
 * skipped are a warning. ERROR_INTERRUPTED, with a warning in the manifest. */
MUST_CHECK enum error_kind record_end_draw(const struct record_end *end, enum plots_kind kind,
                                           const char *recipes, const char *nothing,
                                           struct error *error);

/* Writes the manifest in any case: it says how far the trials came. kind, *error: how the other
 * files ended. Returns kind, or else the error of the manifest. */
MUST_CHECK enum error_kind record_end_describe(const struct record_end *end, enum error_kind kind,
                                               struct error *error);

#endif
