// SPDX-License-Identifier: Apache-2.0
/*
 * histogram: durations from 1 ns to one minute with three significant digits. Layer: measure.
 *
 * An HDR histogram (log-linear buckets) of one fixed geometry, that of Java's
 * new Histogram(1, 60000000000, 3), so that hlog.h can hand it to the Java tools bucket for bucket.
 * It holds no pointer: it may lie in memory shared by processes. Several threads may record at
 * once; everything else wants a histogram that nobody is recording to, but for an estimate:
 * histogram_count and histogram_percentile_ns may be asked while others record, and may then miss
 * what is being recorded. All zero bytes are an empty histogram.
 *
 * Invariant: no value is clamped into a bucket. One above the range is counted in overflow.
 *
 * Blocks of slots above all that were recorded are never looked at, and those between are read by
 * a log alone: they may be memory that the system has not given yet, and need not give.
 */
#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_LOWEST_NS  UINT64_C(1)
#define HISTOGRAM_HIGHEST_NS UINT64_C(60000000000)
#define HISTOGRAM_DIGITS     3

/*
 * Bucket 0 has 2048 slots of 1 ns; each of the 25 buckets after it has 1024 slots, twice as wide as
 * those before. The last ends above one minute (2048 << 25 is 68.7 s).
 */
#define HISTOGRAM_HALF_SLOTS 1024
#define HISTOGRAM_BUCKETS    26
#define HISTOGRAM_COUNTS     ((HISTOGRAM_BUCKETS + 1) * HISTOGRAM_HALF_SLOTS)

/* Zero bytes are an empty histogram. */
struct histogram {
    uint64_t total;    /* values in range: the sum of counts */
    uint64_t overflow; /* values above HISTOGRAM_HIGHEST_NS */
    uint64_t max_ns;   /* the largest value, exactly, overflowed ones included */
    uint64_t blocks;   /* bit i: HISTOGRAM_HALF_SLOTS slots from i times as many on are in use */
    uint64_t counts[HISTOGRAM_COUNTS];
};

/* Records one value, beside others who may be recording. Constant time, no allocation: made for the
 * measured path. */
void histogram_record(struct histogram *histogram, uint64_t value_ns);

/* Adds all that from holds to into; from is unchanged. */
void histogram_add(struct histogram *into, const struct histogram *from);

/* How many values were recorded in range, and how many above it. */
uint64_t histogram_count(const struct histogram *histogram);
uint64_t histogram_overflow(const struct histogram *histogram);

/*
 * The value that percent (0 … 100) of the recorded values do not exceed: the upper end of its slot,
 * at most 0.1 % above the value that was recorded. Where nothing overflowed this is exactly what
 * Java's getValueAtPercentile answers after reading the log. Overflowed values count as above
 * everything: a percentile that falls among them answers the largest value, exactly. The 0th is the
 * lower end of the lowest slot. An empty histogram answers 0.
 *
 * The 100th percentile is the maximum to publish beside a log: Java's getMaxValue.
 */
uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent);

/* The largest value recorded, exactly, overflowed ones included; 0 if there is none. */
uint64_t histogram_max_ns(const struct histogram *histogram);

/* How many values were recorded above this one, which is in range, and not in its slot; overflowed
 * ones included. */
uint64_t histogram_above(const struct histogram *histogram, uint64_t value_ns);

/* The slot of a value in range, and the largest value that belongs to a slot. */
uint32_t histogram_slot(uint64_t value_ns);
uint64_t histogram_slot_last_ns(uint32_t slot);

#endif
