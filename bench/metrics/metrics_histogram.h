// SPDX-License-Identifier: Apache-2.0
/*
 * metrics_histogram: durations in the buckets of a Prometheus histogram. Layer: bench/metrics.
 *
 * Invariant: a duration is in the bucket whose bounds it has, or exceeds the bound by less than
 * 0.1 % (measure/histogram.h); all durations are in the last one, +Inf.
 */
#ifndef BENCH_METRICS_METRICS_HISTOGRAM_H
#define BENCH_METRICS_METRICS_HISTOGRAM_H

#include "bench/metrics/metrics_text.h"
#include "measure/histogram.h"

#include <stdint.h>
#include <stdio.h>

#define METRICS_HISTOGRAM_BOUNDS 17

/* All zero: no duration. */
struct metrics_histogram {
    uint64_t recorded;
    uint64_t above[METRICS_HISTOGRAM_BOUNDS]; /* durations above each bound */
    double sum_s; /* within 0.05 %; infinite if a duration was above a minute */
};

/* Adds the durations. */
void metrics_histogram_add(struct metrics_histogram *into, const struct histogram *from);
void metrics_histogram_sum(struct metrics_histogram *into, const struct metrics_histogram *from);

/* Writes the samples. */
void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels);

#endif
