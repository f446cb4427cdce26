// SPDX-License-Identifier: Apache-2.0
/*
 * record: the results of a run on one target: folder, rows, manifest. Layer: bench/run.
 *
 * A run on several topologies has a record for each of them, and each folder is a complete run.
 */
#ifndef BENCH_RUN_RECORD_H
#define BENCH_RUN_RECORD_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/output/manifest.h"
#include "bench/run/cells.h"
#include "bench/run/results.h"
#include "bench/run/trial_rows.h"
#include "bench/run/waiters.h"
#include "bench/target/target.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>

struct record {
    const struct options *options;
    struct results results;
    struct manifest manifest;
    struct table rows;                            /* of trials.csv */
    struct waiters *waiters[OPTIONS_RECIPES_MAX]; /* of each recipe */
    char target[80]; /* a copy of its name: the target is closed before the record */
    struct trial_row_context context;
    size_t trials_planned;
    bool warned; /* that the counts cannot be compared with the servers' */
};

/* Makes the folder (results_open), for so many trials. record_free must be called also after an
 * error. The caller begins the manifest. options and target must outlive the record. */
MUST_CHECK enum error_kind record_open(struct record *record, const struct options *options,
                                       const struct target *target, const char *out, size_t trials,
                                       struct error *error);
void record_free(struct record *record);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void record_warn(struct record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a finished trial, and what the load beside it has measured. */
MUST_CHECK enum error_kind record_add(struct record *record, const struct cell *cell,
                                      const struct trial_result *result,
                                      const struct background_figures *background,
                                      struct error *error);

/* Closes the files of the trials, and writes the other files and the plots; these not if a write
 * has failed before. cut_short: why the run ended before its last trial, or NULL. Returns the first
 * error: ERROR_INTERRUPTED, with all files but the plots written, if `interrupts` (-1: never)
 * becomes readable while the plots are drawn. */
MUST_CHECK enum error_kind record_close(struct record *record, const struct error *cut_short,
                                        int interrupts, struct error *error);

/* Prints the table and the sentences to stdout, and the failed trials to stderr. ERROR_NO_MEMORY if
 * the table or the sentences are missing. */
MUST_CHECK enum error_kind record_tell(const struct record *record, struct error *error);

/* Prints the failed trials, and those that are not valid, to stderr. */
void record_complain(const struct record *record);

/* What --json prints of it (bench/output/record_json.h), once it is closed; NULL without memory. */
json_t *record_describe(const struct record *record);

/* The exit status for all trials: 0, 1 or 4. */
int record_verdict(const struct record *record);

#endif
