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

/* No value may be NaN. */
void statistics_sort(double *values, size_t count);
double statistics_median(const double *sorted, size_t count);

/* Student's t: half the width, in standard errors, of the interval with this confidence (such as
 * 0.95). degrees: degrees of freedom, at least 1, possibly not a whole number. */
double statistics_t(double confidence, double degrees);

/* The mean with its t-interval. With one value low and high are NaN, without values all three. */
struct interval statistics_interval(const double *values, size_t count, double confidence);

/* The geometric mean with the t-interval of the logarithms, for skewed positive values such as
 * times and rates. If a value is zero or negative all three are NaN. */
struct interval statistics_interval_of_logs(const double *values, size_t count, double confidence);

/* The ratio b/a of the geometric means of trials that are not paired, with the t-interval of the
 * difference of the logarithms (Welch). Low and high are NaN if a side has a single value; all
 * three if it has none, or one that is not positive. */
struct interval statistics_ratio(const double *b, size_t b_count, const double *a, size_t a_count,
                                 double confidence);

/* ------------------------------------------------------------------ over several sizes */

/* The logarithm of a trial's value at a size, from 0, in a round, whose trials were made close
 * together, one at each size. */
struct statistics_trial {
    size_t size, round;
    double log;
};

struct statistics_trials {
    const struct statistics_trial *list;
    size_t count;
};

/* The ratio b/a over all sizes. */
struct statistics_contrast {
    double log_ratio; /* the mean of its logarithms, in which every size weighs the same */
    double variance;  /* of log_ratio */
    double degrees;   /* degrees of freedom of the variance */
    double of_one;    /* the variance of log_ratio, had each side one trial a size */
};

/* The ratio of b to a over `sizes` sizes; NaN unless both sides have two trials or more at each.
 *
 * The unit is the round, so trials of one round may be alike in any way: they share the state of
 * the machine. With L the mean over sizes of the logarithms of a round, and all rounds complete,
 * the variance is that of Welch's test of L; where a trial is missing, a round has the deviations
 * of the trials that it has. */
struct statistics_contrast statistics_contrast(struct statistics_trials b,
                                               struct statistics_trials a, size_t sizes);

struct interval statistics_contrast_interval(const struct statistics_contrast *contrast,
                                             double confidence);

#define STATISTICS_TRIALS_MOST 1000

/* Trials that each side needs at each size, at least STATISTICS_TRIALS_MIN, so that the interval
 * lies on one side of a limit with this probability (power), if the logarithm of the true ratio is
 * this far from the limit's. The upper limit of 80 % of the variance is taken. 0: more than
 * STATISTICS_TRIALS_MOST, or the variance is not known. */
size_t statistics_trials_needed(const struct statistics_contrast *contrast, double distance,
                                double confidence, double power);

/* Jain's index of fairness: 1 if all counts are equal, 1/count if only one is not zero; NaN if all
 * are zero. */
double statistics_jain(const uint64_t *counts, size_t count);

#endif
