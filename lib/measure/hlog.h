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

#include "measure/histogram.h"

#include <stdint.h>
#include <stdio.h>

/* Writes the lines before the first interval. start_utc_ns: clock_utc_ns() at the beginning of the
 * run. comment: one line of text, or NULL. Errors stay in the stream. */
void hlog_write_header(FILE *stream, uint64_t start_utc_ns, const char *comment);

/* Writes one interval, which starts start_s after start_utc_ns. tag: NULL, or letters, digits and
 * dots; readers add up the intervals of one tag. */
void hlog_write_interval(FILE *stream, const char *tag, double start_s, double length_s,
                         const struct histogram *histogram);

#endif
