// SPDX-License-Identifier: Apache-2.0
/*
 * results: the folder of a run, and the files that grow trial by trial. Layer: bench/run.
 *
 * trials.csv, handoffs.csv, sessions.csv, latency.csv, latency.hlog and trace.csv are written
 * beside their final names, committed after every trial, and renamed at the end.
 *
 * Invariant: a file under its final name is well-formed and has complete trials only, whatever
 * ended the run.
 */
#ifndef BENCH_RUN_RESULTS_H
#define BENCH_RUN_RESULTS_H

#include "base/error.h"
#include "bench/output/file_set.h"
#include "bench/run/trial_rows.h"
#include "measure/csv.h"
#include "trial/trial.h"

#include <stddef.h>
#include <stdint.h>

/* The number of rows that handoffs.csv has at most, about: each trial has an equal share, and a
 * trial with more handoffs is thinned evenly. */
#define RESULTS_HANDOFFS_MAX UINT64_C(1000000)

struct results {
    struct file_set set;
    uint64_t rows_per_trial; /* of handoffs.csv, at most */
    uint64_t thinning; /* 1 in so many handoffs has a row, in the trial that is thinned most */
    struct csv trials, handoffs, sessions, latency, trace;
    FILE *hlog;
};

/* Makes the folder, and opens the files for so many trials: file_set_open; trace.csv only if
 * has_trace. On an error nothing is
 * left. file_set_close ends them. */
MUST_CHECK enum error_kind results_open(struct results *results, const char *out,
                                        const char *target, size_t trials, bool has_trace,
                                        struct error *error);

/* Adds a trial. On an error the files keep the trials before it. */
MUST_CHECK enum error_kind results_add(struct results *results, const struct table_value *row,
                                       const struct trial_result *result, struct error *error);

#endif
