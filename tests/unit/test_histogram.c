// SPDX-License-Identifier: Apache-2.0
#include "measure/histogram.h"

#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>
#include <pthread.h>

static struct histogram histogram, other;

FIXTURE(empty)
{
    memset(&histogram, 0, sizeof histogram);
    memset(&other, 0, sizeof other);
    return 0;
}

/* Every slot begins where the last one ended, and is at most a thousandth of its values wide. */
TEST_BETWEEN(slots_cover_the_range, empty, NULL)
{
    uint64_t first_ns = 0;
    for (uint32_t slot = 0; slot < HISTOGRAM_COUNTS; slot++) {
        uint64_t last_ns = histogram_slot_last_ns(slot);
        assert_int_equal(histogram_slot(first_ns), slot);
        assert_int_equal(histogram_slot(last_ns), slot);
        assert_true((last_ns - first_ns) * 1000 <= first_ns);
        first_ns = last_ns + 1;
    }
    assert_true(first_ns > HISTOGRAM_HIGHEST_NS);
    assert_true(histogram_slot(HISTOGRAM_HIGHEST_NS) < HISTOGRAM_COUNTS);
}

TEST_BETWEEN(above_the_range_is_counted_not_clamped, empty, NULL)
{
    histogram_record(&histogram, HISTOGRAM_HIGHEST_NS);
    assert_int_equal(histogram.overflow, 0);
    histogram_record(&histogram, HISTOGRAM_HIGHEST_NS + 1);
    histogram_record(&histogram, UINT64_MAX);
    assert_int_equal(histogram_count(&histogram), 1);
    assert_int_equal(histogram.overflow, 2);
    assert_true(histogram.max_ns == UINT64_MAX);
    uint64_t counted = 0;
    for (uint32_t slot = 0; slot < HISTOGRAM_COUNTS; slot++)
        counted += histogram.counts[slot];
    assert_int_equal(counted, 1);
}

TEST_BETWEEN(overflow_counts_above_everything, empty, NULL)
{
    for (int i = 0; i < 90; i++)
        histogram_record(&histogram, 100);
    for (int i = 0; i < 10; i++)
        histogram_record(&histogram, HISTOGRAM_HIGHEST_NS + 5);
    assert_int_equal(histogram_count(&histogram), 90);
    assert_int_equal(histogram_recorded(&histogram), 100);
    assert_int_equal(histogram_percentile_ns(&histogram, 90), 100);
    assert_int_equal(histogram_percentile_ns(&histogram, 90.1), HISTOGRAM_HIGHEST_NS + 5);
    assert_int_equal(histogram_percentile_ns(&histogram, 100), HISTOGRAM_HIGHEST_NS + 5);
}

/* What is above all others, and no more is known of it. */
TEST_BETWEEN(what_is_only_known_to_be_slower_moves_the_percentiles, empty, NULL)
{
    for (uint64_t us = 1; us <= 90; us++)
        histogram_record(&histogram, us * 1000);
    assert_true(histogram_percentile_of_more_us(&histogram, 0, 50) < 46);
    double median = histogram_percentile_of_more_us(&histogram, 10, 50);
    assert_true(median >= 50 && median < 51);
    assert_true(isfinite(histogram_percentile_of_more_us(&histogram, 10, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&histogram, 10, 90.1)));
    assert_true(isinf(histogram_percentile_of_more_us(&histogram, 10, 100)));
    assert_true(isfinite(histogram_percentile_of_more_us(&histogram, 0, 100)));
    histogram_record(&histogram, HISTOGRAM_HIGHEST_NS + 5);
    assert_true(isfinite(histogram_percentile_of_more_us(&histogram, 9, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&histogram, 10, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&histogram, 9, 91)));
}

/* What Java's HdrHistogram 2.1.11 answers for 1, 2, … 1000 microseconds. */
TEST_BETWEEN(percentiles_are_those_of_java, empty, NULL)
{
    static const struct {
        double percent;
        uint64_t value_ns;
    } answers[] = {{0, 1000},    {0.05, 1000}, {0.1, 1000},    {50, 500223},     {50.05, 501247},
                   {90, 900095}, {99, 990207}, {99.9, 999423}, {99.95, 1000447}, {100, 1000447}};
    for (uint64_t us = 1; us <= 1000; us++)
        histogram_record(&histogram, us * 1000);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        assert_int_equal(histogram_percentile_ns(&histogram, answers[i].percent),
                         answers[i].value_ns);
    assert_int_equal(histogram.max_ns, 1000000);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * Against the definition: the smallest value that covers the share, found by sorting. Some of these
 * percentages times the count come out a hair above the rank, and must not skip to the next value.
 */
TEST_BETWEEN(percentiles_agree_with_sorting, empty, NULL)
{
    enum { COUNT = 999 };
    uint64_t values_ns[COUNT];
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < COUNT; i++) {
        values_ns[i] = random_next(&random) >> (30 + random_below(&random, 34));
        histogram_record(&histogram, values_ns[i]);
    }
    qsort(values_ns, COUNT, sizeof values_ns[0], compare);
    for (size_t rank = 1; rank <= COUNT; rank++) {
        uint64_t last_ns = histogram_slot_last_ns(histogram_slot(values_ns[rank - 1]));
        double percent = 100 * (double)rank / COUNT;
        assert_int_equal(histogram_percentile_ns(&histogram, percent), last_ns);
    }
}

/* The middle of a slot is at most 0.05 % from what is in it. */
TEST_BETWEEN(the_mean_is_that_of_the_values, empty, NULL)
{
    assert_true(isnan(histogram_mean_us(&histogram)));
    for (uint64_t ns = 1; ns <= 2000; ns++)
        histogram_record(&histogram, ns);
    assert_true(histogram_mean_us(&histogram) == 1.0005);
    memset(&histogram, 0, sizeof histogram);
    for (uint64_t ms = 1; ms <= 100; ms++)
        histogram_record(&histogram, ms * 1000000);
    assert_true(fabs(histogram_mean_us(&histogram) / 50500 - 1) < 0.0005);
    histogram_record(&histogram, HISTOGRAM_HIGHEST_NS + 1);
    assert_true(isinf(histogram_mean_us(&histogram)));
}

TEST_BETWEEN(values_above_another_are_counted, empty, NULL)
{
    assert_int_equal(histogram_above(&histogram, 1), 0);
    for (uint64_t ms = 1; ms <= 100; ms++)
        histogram_record(&histogram, ms * 1000000);
    assert_int_equal(histogram_above(&histogram, 1), 100);
    assert_int_equal(histogram_above(&histogram, 1000000), 99); /* its own slot is not above */
    assert_int_equal(histogram_above(&histogram, 99500000), 1);
    assert_int_equal(histogram_above(&histogram, 100000000), 0);
    histogram_record(&histogram, HISTOGRAM_HIGHEST_NS + 1);
    assert_int_equal(histogram_above(&histogram, HISTOGRAM_HIGHEST_NS), 1);
}

TEST_BETWEEN(adding_is_recording_both, empty, NULL)
{
    static struct histogram both;
    memset(&both, 0, sizeof both);
    struct random random;
    random_init(&random, 2);
    for (int i = 0; i < 1000; i++) {
        uint64_t value_ns = random_next(&random) >> (20 + random_below(&random, 40));
        histogram_record(i % 3 == 0 ? &histogram : &other, value_ns);
        histogram_record(&both, value_ns);
    }
    histogram_record(&other, UINT64_MAX);
    histogram_record(&both, UINT64_MAX);
    assert_true(both.overflow > 0);
    histogram_add(&histogram, &other);
    assert_memory_equal(&histogram, &both, sizeof both);
}

#define WRITERS 4
#define RECORDS 20000

static void *record_many(void *into)
{
    for (uint64_t i = 1; i <= RECORDS; i++)
        histogram_record(into, i);
    return NULL;
}

TEST_BETWEEN(writers_lose_nothing, empty, NULL)
{
    pthread_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, record_many, &histogram), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    assert_int_equal(histogram_count(&histogram), WRITERS * RECORDS);
    assert_int_equal(histogram.counts[1], WRITERS);
    assert_int_equal(histogram.max_ns, RECORDS);
}
