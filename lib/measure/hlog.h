// SPDX-License-Identifier: Apache-2.0
/*
 * hlog: histograms as an HdrHistogram log, V2, compressed. Layer: measure.
 *
 * Java's HistogramLogProcessor reads it; values are in nanoseconds (-outputValueUnitRatio 1000 for
 * microseconds). Invariant: the log contains every value in range. Values above the range are not
 * in Java's percentiles: a comment line before their interval gives their number and the largest.
 */
#ifndef MEASURE_HLOG_H
#define MEASURE_HLOG_H

#include "base/error.h"
#include "measure/histogram.h"

#include <stdint.h>
#include <stdio.h>

/* Writes the lines before the first interval. start_utc_ns: clock_utc_ns() at the beginning of the
 * run. comment: one line of text, or NULL. The error of a stream that has failed. */
MUST_CHECK enum error_kind hlog_write_header(FILE *stream, uint64_t start_utc_ns,
                                             const char *comment, struct error *error);

/* Writes one interval, which starts start_s after start_utc_ns. tag: NULL, or letters, digits and
 * dots; readers add up the intervals of one tag. */
MUST_CHECK enum error_kind hlog_write_interval(FILE *stream, const char *tag, double start_s,
                                               double length_s, const struct histogram *histogram,
                                               struct error *error);

#endif
