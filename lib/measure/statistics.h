// SPDX-License-Identifier: Apache-2.0
/*
 * statistics: means, quantiles and intervals over trials. Layer: measure.
 *
 * The unit is the trial, never the operation: operations of one run are correlated. What has no
 * answer is NaN, never a guess. Nothing is allocated, and the values are unchanged but by
 * statistics_sort.
 */
#ifndef MEASURE_STATISTICS_H
#define MEASURE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* An interval needs so many trials to be told at all, and so many to be published. */
#define STATISTICS_TRIALS_MIN     5
#define STATISTICS_TRIALS_PUBLISH 10

struct interval {
    double value;
    double low, high; /* NaN where there is no interval */
};

/* Sorts in ascending order; no value may be NaN. */
void statistics_sort(double *values, size_t count);

/* The median of sorted values; NaN of nothing. */
double statistics_median(const double *sorted, size_t count);

/*
 * The quantile (fraction 0 … 1) of sorted values, interpolated between neighbours (R's type 7). NaN
 * of nothing.
 */
double statistics_quantile(const double *sorted, size_t count, double fraction);

/*
 * Student's t: the distance from the mean, in standard errors, that holds this confidence (such as
 * 0.95) with so many degrees of freedom, at least 1; they need not be a whole number.
 */
double statistics_t(double confidence, double degrees);

/* The mean with its t-interval. Of one value low and high are NaN, of none all three. */
struct interval statistics_interval(const double *values, size_t count, double confidence);

/*
 * The geometric mean with the t-interval of the logarithms: for times and rates, which are skewed
 * and positive. A value that is zero or negative makes all three NaN.
 */
struct interval statistics_interval_of_logs(const double *values, size_t count, double confidence);

/*
 * How many times as large b is as a: the ratio of their geometric means, with the t-interval of the
 * difference of the logarithms. The two may spread differently and have different counts: the
 * degrees of freedom are Welch's. Nothing is paired: trial 1 of b has no more to do with trial 1 of
 * a than with trial 2. If one side has only one value low and high are NaN; if one has none, or a
 * value that is zero or negative, all three.
 */
struct interval statistics_ratio(const double *b, size_t b_count, const double *a, size_t a_count,
                                 double confidence);

/*
 * Jain's index of fairness: 1 when all have the same, 1/count when one has everything. NaN if
 * nobody has anything.
 */
double statistics_jain(const uint64_t *counts, size_t count);

#endif
