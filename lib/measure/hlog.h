// SPDX-License-Identifier: Apache-2.0
/*
 * hlog: histograms as an HdrHistogram log, V2, compressed. Layer: measure.
 *
 * Java's HistogramLogProcessor reads it, values in nanoseconds (-outputValueUnitRatio 1000 for
 * microseconds). Invariant: the log holds every value in range. A value above the range has no
 * bucket: its interval is preceded by a comment line that says how many there were and the largest,
 * and the percentiles that Java answers are without them.
 */
#ifndef MEASURE_HLOG_H
#define MEASURE_HLOG_H

#include "base/error.h"
#include "measure/histogram.h"

#include <stdint.h>
#include <stdio.h>

/*
 * Writes the lines before the first interval. start_utc_ns: clock_utc_ns() at the beginning of the
 * run. comment: one line of text, or NULL. ERROR_* if the stream has failed.
 */
MUST_CHECK enum error_kind hlog_write_header(FILE *stream, uint64_t start_utc_ns,
                                             const char *comment, struct error *error);

/*
 * Writes one interval: when it began (seconds after start_utc_ns), how long it was, and its values.
 * tag: letters, digits and dots, no comma and no blank; NULL for none. Intervals of one tag are
 * added up by their reader. ERROR_NO_MEMORY, or ERROR_* if the stream has failed.
 */
MUST_CHECK enum error_kind hlog_write_interval(FILE *stream, const char *tag, double start_s,
                                               double length_s, const struct histogram *histogram,
                                               struct error *error);

#endif
