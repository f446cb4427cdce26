// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>

/* cmocka compares floats only, which have seven digits. */
static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fmax(1, fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

static void assert_interval(struct interval found, double value, double low, double high)
{
    assert_near(found.value, value);
    assert_near(found.low, low);
    assert_near(found.high, high);
}

TEST(of_nothing_nothing_is_known)
{
    assert_true(isnan(statistics_median(NULL, 0)));
    assert_true(isnan(statistics_jain(NULL, 0)));
    assert_true(isnan(statistics_interval(NULL, 0, 0.95).value));
    assert_true(isnan(statistics_interval_of_logs(NULL, 0, 0.95).value));
}

TEST(medians_are_in_the_middle)
{
    double values[] = {9, 1, 4, 2};
    statistics_sort(values, 4);
    assert_true(values[0] == 1);
    assert_true(values[3] == 9);
    assert_near(statistics_median(values, 4), 3);
    assert_near(statistics_median(values, 3), 2);
}

/* The printed tables of Student's t. */
TEST(t_is_that_of_the_tables)
{
    assert_near(statistics_t(0.95, 1), 12.706205);
    assert_near(statistics_t(0.95, 4), 2.776445);
    assert_near(statistics_t(0.99, 9), 3.249836);
    assert_near(statistics_t(0.95, 4.5), 2.658912);
}

TEST(an_interval_needs_two)
{
    const double values[] = {1, 2, 3, 4, 5};
    assert_interval(statistics_interval(values, 5, 0.95), 3, 1.0367568, 4.9632432);
    struct interval one = statistics_interval(values, 1, 0.95);
    assert_true(one.value == 1);
    assert_true(isnan(one.low) && isnan(one.high));
    const double same[] = {7, 7, 7};
    assert_interval(statistics_interval(same, 3, 0.95), 7, 7, 7);
}

TEST(logs_give_ratios)
{
    const double values[] = {10, 100, 1000};
    struct interval found = statistics_interval_of_logs(values, 3, 0.95);
    /* 2 ± 4.3026527 / sqrt(3) in powers of ten */
    assert_interval(found, 100, pow(10, 2 - 2.4841377), pow(10, 2 + 2.4841377));
    assert_near(found.low * found.high, 1e4);
    const double zero[] = {10, 0, 1000};
    found = statistics_interval_of_logs(zero, 3, 0.95);
    assert_true(isnan(found.value) && isnan(found.low) && isnan(found.high));
    found = statistics_interval_of_logs(values, 1, 0.95);
    assert_near(found.value, 10);
    assert_true(isnan(found.low) && isnan(found.high));
}

/* Against Welch's formulas worked out by hand, with t from its density. */
TEST(ratios_are_welchs)
{
    const double a[] = {10, 12, 11, 9, 13}, b[] = {20, 30, 25, 22, 40, 28};
    assert_interval(statistics_ratio(b, 6, a, 5, 0.95), 2.4558587, 1.8653182, 3.2333581);
    /* The other way round it is the inverse. */
    assert_interval(statistics_ratio(a, 5, b, 6, 0.95), 1 / 2.4558587, 1 / 3.2333581,
                    1 / 1.8653182);
}

TEST(a_ratio_needs_two_on_each_side)
{
    const double one[] = {2}, two[] = {4, 16}, same[] = {3, 3, 3}, zero[] = {1, 0};
    struct interval found = statistics_ratio(two, 2, one, 1, 0.95);
    assert_near(found.value, 4);
    assert_true(isnan(found.low) && isnan(found.high));
    found = statistics_ratio(two, 2, NULL, 0, 0.95);
    assert_true(isnan(found.value) && isnan(found.low) && isnan(found.high));
    found = statistics_ratio(zero, 2, two, 2, 0.95);
    assert_true(isnan(found.value) && isnan(found.low) && isnan(found.high));
    assert_interval(statistics_ratio(same, 3, same, 3, 0.95), 1, 1, 1);
}

/* At one size the ratio over all sizes is Welch's; at several it is Welch's of the means of the
 * rounds, so what all trials of a round share counts once. */
TEST(the_ratio_over_sizes_is_welchs_of_rounds)
{
    const double a[] = {10, 12, 11, 9, 13}, b[] = {20, 30, 25, 22, 40, 28};
    struct statistics_trial of_a[10], of_b[12];
    for (size_t sizes = 1; sizes <= 2; sizes++) {
        for (size_t i = 0; i < 5 * sizes; i++)
            of_a[i] = (struct statistics_trial){i / 5, i % 5, log(a[i % 5]) + (double)(i / 5)};
        for (size_t i = 0; i < 6 * sizes; i++)
            of_b[i] = (struct statistics_trial){i / 6, i % 6, log(b[i % 6]) + (double)(i / 6)};
        struct statistics_contrast contrast =
            statistics_contrast((struct statistics_trials){of_b, 6 * sizes},
                                (struct statistics_trials){of_a, 5 * sizes}, sizes);
        assert_interval(statistics_contrast_interval(&contrast, 0.95), 2.4558587, 1.8653182,
                        3.2333581);
    }
    /* Without what a round shares, two sizes tell more than one; a trial may be missing. */
    of_b[11].round = 0;
    of_b[6].round = 5;
    struct statistics_contrast contrast = statistics_contrast(
        (struct statistics_trials){of_b, 12}, (struct statistics_trials){of_a, 10}, 2);
    assert_true(statistics_contrast_interval(&contrast, 0.95).low > 1.8653182);
    contrast = statistics_contrast((struct statistics_trials){of_b, 11},
                                   (struct statistics_trials){of_a, 10}, 2);
    assert_true(isfinite(statistics_contrast_interval(&contrast, 0.95).low));
    contrast = statistics_contrast((struct statistics_trials){of_b, 7},
                                   (struct statistics_trials){of_a, 10}, 2);
    assert_true(isnan(statistics_contrast_interval(&contrast, 0.95).value));
    assert_int_equal(statistics_trials_needed(&contrast, 0.1, 0.95, 0.9), 0);
}

/* The variance is known only by 80 % of its upper limit: for 8 degrees of freedom 1.742 times what
 * was found. (2.0017 + 1.2963)^2 × 1.742 × 0.05 / 0.18232^2 is 28.5: of 29 trials, by hand. */
TEST(the_trials_needed_are_those_of_the_power)
{
    struct statistics_contrast contrast = {0, 0.01, 8, 0.05};
    assert_int_equal(statistics_trials_needed(&contrast, log(1.2), 0.95, 0.9), 29);
    contrast.of_one = 0;
    assert_int_equal(statistics_trials_needed(&contrast, log(1.2), 0.95, 0.9),
                     STATISTICS_TRIALS_MIN);
    contrast.of_one = 100;
    assert_int_equal(statistics_trials_needed(&contrast, log(1.2), 0.95, 0.9), 0);
}

/* Of many experiments with five trials, 95 in 100 must hold the truth. */
TEST(intervals_cover_as_promised)
{
    enum { EXPERIMENTS = 4000, TRIALS = 5 };
    struct random random;
    random_init(&random, 3);
    size_t plain = 0, logs = 0, ratios = 0;
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        double values[TRIALS], skewed[TRIALS], others[2 * TRIALS];
        for (size_t j = 0; j < TRIALS; j++) {
            values[j] = 10 - 6;
            for (int k = 0; k < 12; k++)
                values[j] += random_unit(&random);
            skewed[j] = exp(values[j]);
        }
        for (size_t j = 0; j < 2 * TRIALS; j++) {
            others[j] = -6;
            for (int k = 0; k < 12; k++)
                others[j] += random_unit(&random);
            others[j] = exp(others[j] / 3);
        }
        struct interval of_values = statistics_interval(values, TRIALS, 0.95);
        struct interval of_logs = statistics_interval_of_logs(skewed, TRIALS, 0.95);
        struct interval ratio = statistics_ratio(skewed, TRIALS, others, 2 * TRIALS, 0.95);
        plain += of_values.low <= 10 && 10 <= of_values.high;
        logs += of_logs.low <= exp(10) && exp(10) <= of_logs.high;
        ratios += ratio.low <= exp(10) && exp(10) <= ratio.high;
    }
    assert_in_range(plain, 0.94 * EXPERIMENTS, 0.96 * EXPERIMENTS);
    assert_in_range(logs, 0.94 * EXPERIMENTS, 0.96 * EXPERIMENTS);
    assert_in_range(ratios, 0.94 * EXPERIMENTS, 0.96 * EXPERIMENTS);
}

TEST(jain_is_one_for_equals)
{
    const uint64_t equal[] = {5, 5, 5, 5}, one[] = {0, 8, 0, 0}, none[] = {0, 0}, mixed[] = {1, 3};
    assert_near(statistics_jain(equal, 4), 1);
    assert_near(statistics_jain(one, 4), 0.25);
    assert_near(statistics_jain(mixed, 2), 0.8);
    assert_true(isnan(statistics_jain(none, 2)));
}
