// SPDX-License-Identifier: Apache-2.0
#include "measure/histogram.h"

#include <math.h>
#include <stdbool.h>

#define FIRST_SLOTS (2 * HISTOGRAM_HALF_SLOTS)

/* 64 - clz is the length in bits; values of up to 11 bits are in bucket 0. */
uint32_t histogram_slot(uint64_t value_ns)
{
    uint32_t bucket = (uint32_t)(63 - __builtin_clzll(value_ns | (FIRST_SLOTS - 1))) - 10;
    return bucket * HISTOGRAM_HALF_SLOTS + (uint32_t)(value_ns >> bucket);
}

static uint64_t slot_first_ns(uint32_t slot)
{
    if (slot < FIRST_SLOTS)
        return slot;
    uint32_t bucket = slot / HISTOGRAM_HALF_SLOTS - 1;
    return (uint64_t)(slot - bucket * HISTOGRAM_HALF_SLOTS) << bucket;
}

uint64_t histogram_slot_last_ns(uint32_t slot)
{
    return slot_first_ns(slot + 1) - 1;
}

/* Reads while others write are estimates: relaxed order is enough. */
static void increment(uint64_t *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

/* The first slot at `slot` or after it whose block is in use; HISTOGRAM_COUNTS if there is none. */
static uint32_t next_in_use(const struct histogram *histogram, uint32_t slot)
{
    uint64_t blocks = load(&histogram->blocks);
    while (slot < HISTOGRAM_COUNTS && (blocks >> slot / HISTOGRAM_HALF_SLOTS & 1) == 0)
        slot = (slot / HISTOGRAM_HALF_SLOTS + 1) * HISTOGRAM_HALF_SLOTS;
    return slot;
}

void histogram_record(struct histogram *histogram, uint64_t value_ns)
{
    uint64_t most_ns = load(&histogram->max_ns);
    while (value_ns > most_ns &&
           !__atomic_compare_exchange_n(&histogram->max_ns, &most_ns, value_ns, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    if (value_ns > HISTOGRAM_HIGHEST_NS) {
        increment(&histogram->overflow);
        return;
    }
    uint32_t slot = histogram_slot(value_ns);
    uint64_t block = UINT64_C(1) << slot / HISTOGRAM_HALF_SLOTS;
    if ((load(&histogram->blocks) & block) == 0)
        __atomic_fetch_or(&histogram->blocks, block, __ATOMIC_RELAXED);
    increment(&histogram->counts[slot]);
    increment(&histogram->total);
}

void histogram_add(struct histogram *into, const struct histogram *from)
{
    for (uint32_t slot = next_in_use(from, 0); slot < HISTOGRAM_COUNTS;
         slot = next_in_use(from, slot + 1)) {
        if (from->counts[slot] > 0)
            into->counts[slot] += from->counts[slot];
    }
    into->blocks |= from->blocks;
    into->total += from->total;
    into->overflow += from->overflow;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
}

uint64_t histogram_count(const struct histogram *histogram)
{
    return load(&histogram->total);
}

uint64_t histogram_recorded(const struct histogram *histogram)
{
    return load(&histogram->total) + load(&histogram->overflow);
}

/* The number of values that the percentile covers, at least 1, by Java's operations: one step below
 * the percentile before rounding up, because 99.9 % of 1000 may come out just above 999. */
static uint64_t count_at(double percent, uint64_t recorded)
{
    double below = fmin(fmax(nextafter(percent, -INFINITY), 0.0), 100.0);
    uint64_t count = (uint64_t)ceil(below * (double)recorded / 100.0);
    return count > 0 ? count : 1;
}

/* The percentile of the histogram's values and of `more` values above them. */
static uint64_t percentile_ns(const struct histogram *histogram, uint64_t more, double percent)
{
    uint64_t wanted = count_at(percent, histogram_recorded(histogram) + more);
    uint64_t seen = 0;
    for (uint32_t slot = next_in_use(histogram, 0); slot < HISTOGRAM_COUNTS;
         slot = next_in_use(histogram, slot + 1)) {
        seen += load(&histogram->counts[slot]);
        if (seen >= wanted)
            return percent == 0 ? slot_first_ns(slot) : histogram_slot_last_ns(slot);
    }
    return load(&histogram->max_ns);
}

uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
    return percentile_ns(histogram, 0, percent);
}

double histogram_percentile_of_more_us(const struct histogram *histogram, uint64_t more,
                                       double percent)
{
    uint64_t in_range = load(&histogram->total), all = in_range + load(&histogram->overflow) + more;
    if (all == 0)
        return NAN;
    if ((percent < 100 || more > 0) && count_at(percent, all) > in_range)
        return INFINITY;
    return (double)percentile_ns(histogram, more, percent) / 1e3;
}

bool histogram_has_percentile(uint64_t count, double percent)
{
    if (percent <= 50 || percent >= 100)
        return count > 0;
    /* 1000 x 0.1 is no less than 100, whatever binary makes of 99.9. */
    return (double)count * (100 - percent) > 100 - 1e-6;
}

double histogram_percentile_us(const struct histogram *histogram, double percent)
{
    return histogram_percentile_of_more_us(histogram, 0, percent);
}

double histogram_mean_us(const struct histogram *histogram)
{
    double sum_ns = 0;
    if (histogram->overflow > 0)
        return INFINITY;
    for (uint32_t slot = next_in_use(histogram, 0); slot < HISTOGRAM_COUNTS;
         slot = next_in_use(histogram, slot + 1)) {
        double middle_ns =
            (double)slot_first_ns(slot) / 2 + (double)histogram_slot_last_ns(slot) / 2;
        sum_ns += (double)histogram->counts[slot] * middle_ns;
    }
    return histogram->total > 0 ? sum_ns / (double)histogram->total / 1e3 : NAN;
}

uint64_t histogram_above(const struct histogram *histogram, uint64_t value_ns)
{
    uint64_t above = load(&histogram->overflow);
    for (uint32_t slot = next_in_use(histogram, histogram_slot(value_ns) + 1);
         slot < HISTOGRAM_COUNTS; slot = next_in_use(histogram, slot + 1))
        above += load(&histogram->counts[slot]);
    return above;
}
