// SPDX-License-Identifier: Apache-2.0
/*
 * record: all that a run on one target leaves: its folder, its samples, its manifest. Layer:
 * bench/run.
 *
 * A run on several topologies has a record for each, so that every folder is a whole run.
 */
#ifndef BENCH_RUN_RECORD_H
#define BENCH_RUN_RECORD_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "bench/run/manifest.h"
#include "bench/run/results.h"
#include "bench/run/sample.h"
#include "bench/run/waiters.h"
#include "bench/target/target.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>

struct record {
    const struct options *options;
    struct results results;
    struct manifest manifest;
    struct samples samples;
    struct waiters *waiters[OPTIONS_RECIPES_MAX]; /* of each recipe */
    char target[80];                              /* its name, which outlives it */
    struct sample_context context;
    size_t trials_planned;
    bool told_why; /* the counts are not reconciled */
};

/* Makes the folder (results_open), for so many trials. On an error record_free is still due. The
 * manifest is the caller's to begin. options and target must outlive the record. */
MUST_CHECK enum error_kind record_open(struct record *record, const struct options *options,
                                       const struct target *target, const char *out, size_t trials,
                                       struct error *error);
void record_free(struct record *record);

/* Tells the user, unless he wants quiet, and the manifest. */
void record_warn(struct record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes down what a finished trial has shown. */
MUST_CHECK enum error_kind record_add(struct record *record, const struct cell *cell,
                                      const struct trial_result *result, struct error *error);

/* Closes the files, and adds those that need all trials, and the plots, also of a run that was cut
 * short (else NULL), but not where a write has failed. The first error is the one that counts:
 * ERROR_INTERRUPTED, with all but the plots there, if `interrupts` (-1: never) becomes readable
 * while they are drawn. */
MUST_CHECK enum error_kind record_close(struct record *record, const struct error *cut_short,
                                        int interrupts, struct error *error);

/* The table and the sentences, to stdout, and the failed trials, to stderr. ERROR_NO_MEMORY if the
 * table or the sentences are missing. */
MUST_CHECK enum error_kind record_tell(const struct record *record, struct error *error);

/* The exit status that the trials add up to: 0, 1 or 4. */
int record_verdict(const struct record *record);

#endif
