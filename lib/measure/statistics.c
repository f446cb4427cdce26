// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

void statistics_sort(double *values, size_t count)
{
    gsl_sort(values, 1, count);
}

double statistics_median(const double *sorted, size_t count)
{
    return count > 0 ? gsl_stats_median_from_sorted_data(sorted, 1, count) : NAN;
}

double statistics_t(double confidence, double degrees)
{
    return gsl_cdf_tdist_Pinv(0.5 + confidence / 2, degrees);
}

/* Mean and squared deviations in one pass (Welford 1962): logarithms need no array. */
struct moments {
    size_t count;
    double mean;
    double squares;
};

static void moments_add(struct moments *moments, double value)
{
    double distance = value - moments->mean;
    moments->count++;
    moments->mean += distance / (double)moments->count;
    moments->squares += distance * (value - moments->mean);
}

/* The squared standard error of the mean; NaN without two values. */
static double variance_of(const struct moments *moments)
{
    double n = (double)moments->count;
    return moments->squares / (n - 1) / n;
}

static struct interval interval_of(const struct moments *moments, double confidence)
{
    if (moments->count < 2)
        return (struct interval){moments->count > 0 ? moments->mean : NAN, NAN, NAN};
    double reach =
        statistics_t(confidence, (double)moments->count - 1) * sqrt(variance_of(moments));
    return (struct interval){moments->mean, moments->mean - reach, moments->mean + reach};
}

struct interval statistics_interval(const double *values, size_t count, double confidence)
{
    struct moments moments = {0};
    for (size_t i = 0; i < count; i++)
        moments_add(&moments, values[i]);
    return interval_of(&moments, confidence);
}

/* False if a value has no logarithm. */
static bool add_logs(const double *values, size_t count, struct moments *moments)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0))
            return false;
        moments_add(moments, log(values[i]));
    }
    return true;
}

struct interval statistics_interval_of_logs(const double *values, size_t count, double confidence)
{
    struct moments moments = {0};
    if (!add_logs(values, count, &moments))
        return (struct interval){NAN, NAN, NAN};
    struct interval logs = interval_of(&moments, confidence);
    return (struct interval){exp(logs.value), exp(logs.low), exp(logs.high)};
}

/* ------------------------------------------------------------------ over several sizes */

static struct moments moments_at(const struct statistics_trials *trials, size_t size)
{
    struct moments moments = {0};
    for (size_t i = 0; i < trials->count; i++) {
        if (trials->list[i].size == size)
            moments_add(&moments, trials->list[i].log);
    }
    return moments;
}

/* How far the trials of the round that begins at `first` are from the means of their sizes, as a
 * part of the side's mean. The factor is that of an unbiased variance: n - 1 of n deviations are
 * free. */
static double deviation_of_round(const struct statistics_trials *trials, size_t first, size_t sizes)
{
    double deviation = 0;
    for (size_t i = first; i < trials->count; i++) {
        const struct statistics_trial *trial = &trials->list[i];
        if (trial->round != trials->list[first].round)
            continue;
        struct moments moments = moments_at(trials, trial->size);
        double n = (double)moments.count;
        deviation += sqrt(n / (n - 1)) * (trial->log - moments.mean) / n;
    }
    return deviation / (double)sizes;
}

static bool begins_round(const struct statistics_trials *trials, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (trials->list[i].round == trials->list[index].round)
            return false;
    }
    return true;
}

/* One side: the mean over sizes of the mean logarithm, the variance of that, and the rounds. */
struct side {
    double mean, variance, rounds;
};

/* False: at some size there are fewer than two trials. */
static bool sum_side(const struct statistics_trials *trials, size_t sizes, struct side *side)
{
    *side = (struct side){0};
    for (size_t size = 0; size < sizes; size++) {
        struct moments moments = moments_at(trials, size);
        if (moments.count < 2)
            return false;
        side->mean += moments.mean / (double)sizes;
    }
    for (size_t i = 0; i < trials->count; i++) {
        if (begins_round(trials, i)) {
            double deviation = deviation_of_round(trials, i, sizes);
            side->variance += deviation * deviation;
            side->rounds++;
        }
    }
    return true;
}

/* Welch's test. Without any spread its degrees of freedom are 0/0. */
static struct statistics_contrast contrast_of(const struct side *b, const struct side *a)
{
    double va = a->variance, vb = b->variance, variance = va + vb;
    double degrees = a->rounds + b->rounds - 2;
    if (variance > 0)
        degrees = variance * variance / (va * va / (a->rounds - 1) + vb * vb / (b->rounds - 1));
    return (struct statistics_contrast){b->mean - a->mean, variance, degrees,
                                        va * a->rounds + vb * b->rounds};
}

struct statistics_contrast statistics_contrast(struct statistics_trials b,
                                               struct statistics_trials a, size_t sizes)
{
    struct side of_a, of_b;
    if (sizes == 0 || !sum_side(&a, sizes, &of_a) || !sum_side(&b, sizes, &of_b))
        return (struct statistics_contrast){NAN, NAN, NAN, NAN};
    return contrast_of(&of_b, &of_a);
}

struct interval statistics_contrast_interval(const struct statistics_contrast *contrast,
                                             double confidence)
{
    double reach = NAN;
    if (!isnan(contrast->variance))
        reach = statistics_t(confidence, contrast->degrees) * sqrt(contrast->variance);
    return (struct interval){exp(contrast->log_ratio), exp(contrast->log_ratio - reach),
                             exp(contrast->log_ratio + reach)};
}

struct interval statistics_ratio(const double *b, size_t b_count, const double *a, size_t a_count,
                                 double confidence)
{
    struct moments of_a = {0}, of_b = {0};
    if (a_count == 0 || b_count == 0 || !add_logs(a, a_count, &of_a) ||
        !add_logs(b, b_count, &of_b))
        return (struct interval){NAN, NAN, NAN};
    struct statistics_contrast contrast =
        contrast_of(&(struct side){of_b.mean, variance_of(&of_b), (double)b_count},
                    &(struct side){of_a.mean, variance_of(&of_a), (double)a_count});
    return statistics_contrast_interval(&contrast, confidence);
}

size_t statistics_trials_needed(const struct statistics_contrast *contrast, double distance,
                                double confidence, double power)
{
    if (isnan(contrast->variance))
        return 0;
    double most = contrast->of_one * contrast->degrees / gsl_cdf_chisq_Pinv(0.2, contrast->degrees);
    for (size_t trials = STATISTICS_TRIALS_MIN; trials <= STATISTICS_TRIALS_MOST; trials++) {
        double degrees = 2 * (double)trials - 2;
        double reach = statistics_t(confidence, degrees) + gsl_cdf_tdist_Pinv(power, degrees);
        if (reach * sqrt(most / (double)trials) <= distance)
            return trials;
    }
    return 0;
}

double statistics_jain(const uint64_t *counts, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)counts[i];
        squares += (double)counts[i] * (double)counts[i];
    }
    return sum > 0 ? sum * sum / ((double)count * squares) : NAN;
}
