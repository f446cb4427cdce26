// SPDX-License-Identifier: Apache-2.0
/*
 * histogram: durations from 1 ns to one minute with three significant digits. Layer: measure.
 *
 * An HDR histogram (log-linear buckets) with the geometry of Java's new Histogram(1, 60000000000,
 * 3), so that hlog.h can pass it to the Java tools bucket by bucket. It contains no pointer, and
 * may be in memory shared by processes. Several threads may record at once. While they do, only
 * histogram_count, histogram_recorded, histogram_percentile_ns and histogram_above may be called,
 * and their results are estimates.
 *
 * Invariant: no value is clamped into a bucket; a value above the range is counted in overflow.
 *
 * Blocks of slots without a value are not read, except by hlog.h, so the system need not provide
 * their memory.
 */
#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_LOWEST_NS  UINT64_C(1)
#define HISTOGRAM_HIGHEST_NS UINT64_C(60000000000)
#define HISTOGRAM_DIGITS     3

/* Bucket 0 has 2048 slots of 1 ns; each of the 25 buckets after it has 1024 slots, twice as wide as
 * those of the bucket before. The last ends above one minute (2048 << 25 is 68.7 s). */
#define HISTOGRAM_HALF_SLOTS 1024
#define HISTOGRAM_BUCKETS    26
#define HISTOGRAM_COUNTS     ((HISTOGRAM_BUCKETS + 1) * HISTOGRAM_HALF_SLOTS)

/* All zero bytes: an empty histogram. */
struct histogram {
    uint64_t total;    /* number of values in range: the sum of counts */
    uint64_t overflow; /* number of values above HISTOGRAM_HIGHEST_NS */
    uint64_t max_ns;   /* the largest value, exactly, overflowed values included; 0: none */
    uint64_t blocks;   /* bit i: the i-th block of HISTOGRAM_HALF_SLOTS slots has a value */
    uint64_t counts[HISTOGRAM_COUNTS];
};

void histogram_record(struct histogram *histogram, uint64_t value_ns);
void histogram_add(struct histogram *into, const struct histogram *from);

/* The number of values in range, and of all values. */
uint64_t histogram_count(const struct histogram *histogram);
uint64_t histogram_recorded(const struct histogram *histogram);

/* The value that percent (0 … 100) of the values do not exceed: the upper end of its slot, at most
 * 0.1 % above the recorded value; for 0 the lower end of the lowest slot. Without overflow this is
 * exactly Java's getValueAtPercentile, and the 100th its getMaxValue. A percentile among the
 * overflowed values is the largest value. 0 for an empty histogram. */
uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent);

/* Whether a percentile of `count` values is more than the largest of them: from 100 values on the
 * 99th, from 20 the 95th, from 1,000 the 99.9th; a median, and the 100th, of one. */
bool histogram_has_percentile(uint64_t count, double percent);

/* A percentile in microseconds, for figures: NAN for an empty histogram, and INFINITY for one among
 * the overflowed values but the 100th; and of these values with `more` that are above all of them,
 * for which it is INFINITY, too. */
double histogram_percentile_us(const struct histogram *histogram, double percent);
double histogram_percentile_of_more_us(const struct histogram *histogram, uint64_t more,
                                       double percent);

/* The mean in microseconds, of values that are taken to lie in the middle of their slots: within
 * 0.05 % of the recorded ones. NAN for an empty histogram, and INFINITY if values overflowed. */
double histogram_mean_us(const struct histogram *histogram);

/* The number of values in the slots above that of value_ns, which is in range, and of overflowed
 * values. */
uint64_t histogram_above(const struct histogram *histogram, uint64_t value_ns);

/* The slot of a value in range, and the largest value that belongs to a slot. */
uint32_t histogram_slot(uint64_t value_ns);
uint64_t histogram_slot_last_ns(uint32_t slot);

#endif
