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

/* The squared standard error of the mean. Needs two values. */
static double variance_of(const struct moments *moments)
{
    double n = (double)moments->count;
    return moments->squares / (n - 1) / n;
}

static struct interval interval_of(const struct moments *moments, double confidence)
{
    if (moments->count == 0)
        return (struct interval){NAN, NAN, NAN};
    if (moments->count == 1)
        return (struct interval){moments->mean, NAN, NAN};
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

struct interval statistics_ratio(const double *b, size_t b_count, const double *a, size_t a_count,
                                 double confidence)
{
    struct moments of_a = {0}, of_b = {0};
    if (a_count == 0 || b_count == 0 || !add_logs(a, a_count, &of_a) ||
        !add_logs(b, b_count, &of_b))
        return (struct interval){NAN, NAN, NAN};
    double difference = of_b.mean - of_a.mean;
    if (a_count == 1 || b_count == 1)
        return (struct interval){exp(difference), NAN, NAN};
    double va = variance_of(&of_a), vb = variance_of(&of_b), variance = va + vb;
    /* Without any spread Welch's formula is 0/0, and the interval is a point. */
    double reach = 0;
    if (variance > 0) {
        double degrees = variance * variance /
                         (va * va / ((double)a_count - 1) + vb * vb / ((double)b_count - 1));
        reach = statistics_t(confidence, degrees) * sqrt(variance);
    }
    return (struct interval){exp(difference), exp(difference - reach), exp(difference + reach)};
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
