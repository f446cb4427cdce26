// SPDX-License-Identifier: Apache-2.0
/*
 * run_metrics: what `zkherd run --metrics` tells while the run goes on. Layer: bench/run.
 *
 * Invariant: no counter decreases. Counters have the finished trials, as in the files of the run,
 * and the trial that runs; of a trial that does not become finished they keep what was told.
 */
#ifndef BENCH_RUN_RUN_METRICS_H
#define BENCH_RUN_RUN_METRICS_H

#include "bench/cli/progress.h"
#include "bench/metrics/metrics.h"
#include "bench/run/record.h"

#include <stdint.h>
#include <stdio.h>

#define RUN_METRICS_MAX (OPTIONS_TOPOLOGIES_MAX * OPTIONS_RECIPES_MAX)

/* Of a recipe on a target. */
struct run_totals {
    uint64_t handoffs;
    uint64_t violations;
    uint64_t stalls;
    /* Of finished trials that have a law: what it expects, and what was counted. */
    uint64_t law_rpcs, compared_rpcs;
    uint64_t law_notifications, compared_notifications;
    struct metrics_histogram handoff; /* of finished trials */
    /* Of the last finished trial: */
    double drain_s, clients;
};

struct run_metrics {
    const struct options *options;
    const struct record *records; /* of each target */
    const struct progress *progress;
    /* Of each recipe on the first target, of each on the next, …: finished trials, and, while they
     * are told, the running one too. */
    struct metrics_totals totals[RUN_METRICS_MAX];
    struct run_totals of_run[RUN_METRICS_MAX];
    const struct cell *cell;            /* of the running trial; NULL: none runs */
    const struct trial_progress *trial; /* in the progress callback; else NULL */
    struct tally told;                  /* of the running trial, when it was last told */
    uint64_t told_handoffs;             /* the same */
};

/* The metrics are zero bytes before, and most of them stay untouched: the memory of workers, which
 * is measured, begins as a copy of this process's. All pointers must outlive the metrics; the
 * records may be opened later. */
void run_metrics_init(struct run_metrics *metrics, const struct options *options,
                      const struct record *records, const struct progress *progress);

/* A trial begins, of this cell; it must outlive the trial. */
void run_metrics_begin(struct run_metrics *metrics, const struct cell *cell);

/* The trial has been finished, and is in the files. */
void run_metrics_add(struct run_metrics *metrics, const struct cell *cell,
                     const struct table_value *row, const struct trial_result *result);

/* The `write` of a struct metrics_source; context is a struct run_metrics. */
void run_metrics_write(void *context, FILE *stream);

#endif
