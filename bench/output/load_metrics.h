// SPDX-License-Identifier: Apache-2.0
/*
 * load_metrics: what `zkherd load --metrics` tells while the load goes on. Layer: bench/output.
 *
 * Invariant: no counter decreases. Counters have the finished trials, as in the files of the load,
 * and the trial that runs; of a trial that does not become finished they keep what was told.
 */
#ifndef BENCH_OUTPUT_LOAD_METRICS_H
#define BENCH_OUTPUT_LOAD_METRICS_H

#include "bench/metrics/metrics.h"
#include "bench/output/live.h"
#include "bench/output/load_record.h"

#include <stdint.h>
#include <stdio.h>

/* The response times of reads, and of other operations. */
enum { LOAD_METRICS_READS, LOAD_METRICS_WRITES, LOAD_METRICS_HALVES };

/* What a load counts besides struct metrics_totals. */
struct load_totals {
    uint64_t replies[LOAD_KINDS][LOAD_STATUSES];
    uint64_t delayed;
    uint64_t unsent;
    uint64_t marks;                                         /* of finished trials */
    struct metrics_histogram response[LOAD_METRICS_HALVES]; /* of seconds that have ended */
    struct metrics_histogram service;                       /* of finished trials */
};

struct load_metrics {
    const struct live *live;
    const struct load_record *records; /* of each target */
    size_t targets;
    /* Of each target: finished trials, and, while they are told, the running one too. */
    struct metrics_totals totals[OPTIONS_TOPOLOGIES_MAX];
    struct load_totals of_load[OPTIONS_TOPOLOGIES_MAX];
    const struct load_cell *cell;         /* of the running trial; NULL: none runs */
    const struct load_progress *progress; /* in the progress callback; else NULL */
    struct tally told;                    /* of the running trial, when it was last told */
    struct load_totals told_of_load;      /* the same */
    uint32_t seconds;                     /* of that trial in told_of_load.response */
};

/* All pointers must outlive the metrics; the records may be opened later. */
void load_metrics_init(struct load_metrics *metrics, const struct live *live,
                       const struct load_record *records, size_t targets);

/* A trial begins, of this cell; it must outlive the trial. */
void load_metrics_begin(struct load_metrics *metrics, const struct load_cell *cell);

/* The trial has been finished, and is in the files. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind load_metrics_add(struct load_metrics *metrics,
                                            const struct table_value *row,
                                            const struct load_result *result, struct error *error);

/* The `write` of a struct metrics_source; context is a struct load_metrics. */
void load_metrics_write(void *context, FILE *stream);

#endif
