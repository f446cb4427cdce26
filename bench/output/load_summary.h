// SPDX-License-Identifier: Apache-2.0
/*
 * load_summary: the figures of the cells of a load, each over the trials of the cell. Layer:
 * bench/output.
 *
 * The unit is the trial: a value is the geometric mean over the trials, and its interval is 95 %,
 * from STATISTICS_TRIALS_MIN trials on. Trials that are not valid count only if no trial of the
 * cell is valid.
 */
#ifndef BENCH_OUTPUT_LOAD_SUMMARY_H
#define BENCH_OUTPUT_LOAD_SUMMARY_H

#include "bench/output/load_sample.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stddef.h>

struct load_summary {
    const struct load_cell *cell; /* one of its trials' */
    size_t trials;                /* that were led to their end */
    size_t valid;
    size_t driver_bound;
    size_t miscounted;             /* the servers counted otherwise */
    double errors;                 /* of all trials together */
    struct interval offered_per_s; /* NaN in a closed loop */
    struct interval achieved_per_s;
    struct interval response_p50_us, response_p99_us;
    struct interval service_p50_us, service_p99_us;
    struct interval fan_out_mean;
    struct interval first_notification_p50_us, notification_p50_us;
    struct interval last_notification_p50_us, last_notification_p99_us;
    struct interval set_service_p50_us; /* of sets */
    struct interval client_cores, server_cores;
};

/* The first cell behind this one, in the order of the plan: by reads, rate, sessions; NULL if there
 * is none. behind NULL: the first of all. */
const struct load_cell *load_summary_next(const struct load_samples *samples,
                                          const struct load_cell *behind);

/* The summary of the cell of a sample, over all samples. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind load_summary_take(const struct load_samples *samples,
                                             const struct load_cell *cell,
                                             struct load_summary *summary, struct error *error);

/* The columns of cells.csv, and a summary's row. */
extern const char load_summary_columns[];
void load_summary_write(const struct load_summary *summary, const struct load_context *context,
                        struct csv *csv);

#endif
