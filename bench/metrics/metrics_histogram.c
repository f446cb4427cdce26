// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/metrics_histogram.h"

#include <stddef.h>

static const struct {
    uint64_t ns;
    const char *le;
} bounds[] = {
    {100000, "0.0001"},  {250000, "0.00025"}, {500000, "0.0005"},  {1000000, "0.001"},
    {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},  {25000000, "0.025"},
    {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"}, {500000000, "0.5"},
    {1000000000, "1"},   {2500000000, "2.5"}, {5000000000, "5"},   {10000000000, "10"},
    {30000000000, "30"},
};

_Static_assert(sizeof bounds / sizeof bounds[0] == METRICS_HISTOGRAM_BOUNDS,
               "there are as many bounds as counts");

static double sum_us(const struct histogram *histogram)
{
    uint64_t count = histogram_count(histogram);
    if (histogram->overflow > 0)
        return histogram_mean_us(histogram); /* infinite */
    return count > 0 ? histogram_mean_us(histogram) * (double)count : 0;
}

/* A copy that was made while values were recorded may have more in its slots than in its total, or
 * fewer: the slots are what all numbers here are of. */
void metrics_histogram_add(struct metrics_histogram *into, const struct histogram *from)
{
    into->recorded += from->counts[0] + histogram_above(from, 0);
    into->sum_s += sum_us(from) / 1e6;
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        into->above[i] += histogram_above(from, bounds[i].ns);
}

void metrics_histogram_sum(struct metrics_histogram *into, const struct metrics_histogram *from)
{
    into->recorded += from->recorded;
    into->sum_s += from->sum_s;
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        into->above[i] += from->above[i];
}

void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels)
{
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        metrics_text_part(stream, name, "_bucket", histogram->recorded - histogram->above[i],
                          labels, bounds[i].le);
    metrics_text_part(stream, name, "_bucket", histogram->recorded, labels, "+Inf");
    metrics_text_sum(stream, name, histogram->sum_s, labels);
    metrics_text_part(stream, name, "_count", histogram->recorded, labels, NULL);
}
