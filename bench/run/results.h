// SPDX-License-Identifier: Apache-2.0
/*
 * results: the folder of a run, and the files that grow trial by trial. Layer: bench/run.
 *
 * trials.csv, handoffs.csv, sessions.csv, latency.csv and latency.hlog are written beside their
 * final names, committed after every trial, and renamed at the end.
 *
 * Invariant: a file under its final name is well-formed and has complete trials only, whatever
 * ended the run.
 */
#ifndef BENCH_RUN_RESULTS_H
#define BENCH_RUN_RESULTS_H

#include "base/error.h"
#include "base/output.h"
#include "bench/run/sample.h"
#include "measure/csv.h"
#include "trial/trial.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of rows that handoffs.csv has at most, about: each trial has an equal share, and a
 * trial with more handoffs is thinned evenly. */
#define RESULTS_HANDOFFS_MAX UINT64_C(1000000)

enum results_file {
    RESULTS_TRIALS,
    RESULTS_HANDOFFS,
    RESULTS_SESSIONS,
    RESULTS_LATENCY,
    RESULTS_HLOG,
    RESULTS_FILES
};

struct results {
    char folder[PATH_MAX];
    char run[NAME_MAX + 1]; /* the folder's last name: the run's id in every row */
    uint64_t started_utc_ns;
    uint64_t started_ns;
    uint64_t rows_per_trial; /* of handoffs.csv, at most */
    uint64_t thinning; /* 1 in so many handoffs has a row, in the trial that is thinned most */
    size_t trials;
    bool broken; /* a write has failed: the files have the trials before the failure */
    struct output files[RESULTS_FILES];
    struct csv csv[RESULTS_FILES]; /* latency.hlog: not used */
};

/*
 * Makes the folder: `out`, or results/<UTC time>-<target> if out is NULL. ERROR_EXISTS if the
 * folder exists, ERROR_DENIED, ERROR_NO_SPACE. trials: the number of trials of the run.
 */
MUST_CHECK enum error_kind results_open(struct results *results, const char *out,
                                        const char *target, size_t trials, struct error *error);

/* Adds a trial. On an error the files keep the trials before it. */
MUST_CHECK enum error_kind results_add(struct results *results,
                                       const struct sample_context *context,
                                       const struct sample *sample,
                                       const struct trial_result *result, struct error *error);

/* Renames the files to their final names; after a failed write they have the trials before the
 * failure. If no trial was added, the files and the folder are removed. */
MUST_CHECK enum error_kind results_close(struct results *results, struct error *error);

#endif
