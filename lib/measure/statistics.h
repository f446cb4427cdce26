// SPDX-License-Identifier: Apache-2.0
/*
 * statistics: means, medians and intervals over trials. Layer: measure.
 *
 * The unit is the trial, because the operations of one trial are correlated. Invariant: a value
 * that cannot be computed is NaN. Nothing is allocated; only statistics_sort changes its input.
 */
#ifndef MEASURE_STATISTICS_H
#define MEASURE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#define STATISTICS_TRIALS_MIN 5 /* trials needed for an interval */

struct interval {
    double value;
    double low, high; /* NaN: no interval */
};

/* Sorts in ascending order; no value may be NaN. */
void statistics_sort(double *values, size_t count);

/* The median of sorted values; NaN if count is 0. */
double statistics_median(const double *sorted, size_t count);

/* Student's t: half the width, in standard errors, of the interval with this confidence (such as
 * 0.95). degrees: degrees of freedom, at least 1, possibly not a whole number. */
double statistics_t(double confidence, double degrees);

/* The mean with its t-interval. With one value low and high are NaN, without values all three. */
struct interval statistics_interval(const double *values, size_t count, double confidence);

/* The geometric mean with the t-interval of the logarithms, for skewed positive values such as
 * times and rates. If a value is zero or negative all three are NaN. */
struct interval statistics_interval_of_logs(const double *values, size_t count, double confidence);

/* The ratio b/a of the geometric means, with the t-interval of the difference of the logarithms.
 * The degrees of freedom are Welch's, because variances and counts may differ. Trials are not
 * paired. If one side has a single value low and high are NaN; if one side has no value, or one
 * that is zero or negative, all three. */
struct interval statistics_ratio(const double *b, size_t b_count, const double *a, size_t a_count,
                                 double confidence);

/* Jain's index of fairness: 1 if all counts are equal, 1/count if only one is not zero; NaN if all
 * are zero. */
double statistics_jain(const uint64_t *counts, size_t count);

#endif
