// SPDX-License-Identifier: Apache-2.0
/*
 * metrics_text: numbers in the text format of Prometheus, version 0.0.4. Layer: bench/metrics.
 *
 * A family is metrics_text_family, followed by its samples.
 *
 * Invariant: whatever a label's value contains, a sample is one line.
 */
#ifndef BENCH_METRICS_METRICS_TEXT_H
#define BENCH_METRICS_METRICS_TEXT_H

#include <stdint.h>
#include <stdio.h>

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

#define METRICS_LABELS_MAX 4

/* Of a sample; a NULL in place of a name ends them. */
struct metrics_labels {
    struct {
        const char *name, *value;
    } of[METRICS_LABELS_MAX];
};

/* Labels for one call: METRICS_LABELS({"target", target}, {"recipe", recipe}). */
#define METRICS_LABELS(...) (&(const struct metrics_labels){{__VA_ARGS__}})
#define METRICS_NO_LABELS   METRICS_LABELS({0})

/* type: "counter", "gauge" or "histogram". help: without line breaks and backslashes. */
void metrics_text_family(FILE *stream, const char *name, const char *type, const char *help);

/* One sample: a number that is counted, and one that is measured. */
void metrics_text_count(FILE *stream, const char *name, uint64_t value,
                        const struct metrics_labels *labels);
void metrics_text_real(FILE *stream, const char *name, double value,
                       const struct metrics_labels *labels);

/* The same of a histogram: the name ends in the suffix. le: the bound of a bucket, which is a label
 * behind the others; NULL: no bucket. */
void metrics_text_part(FILE *stream, const char *name, const char *suffix, uint64_t value,
                       const struct metrics_labels *labels, const char *le);
void metrics_text_sum(FILE *stream, const char *name, double value,
                      const struct metrics_labels *labels);

#endif
