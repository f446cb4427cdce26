// SPDX-License-Identifier: Apache-2.0
/* Means, intervals and ratios over trials, and the growth of a cost with the waiters. */

#include "measure/fit.h"
#include "measure/statistics.h"

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

TEST(jain_is_one_for_equals)
{
    const uint64_t equal[] = {5, 5, 5, 5}, one[] = {0, 8, 0, 0}, none[] = {0, 0}, mixed[] = {1, 3};
    assert_near(statistics_jain(equal, 4), 1);
    assert_near(statistics_jain(one, 4), 0.25);
    assert_near(statistics_jain(mixed, 2), 0.8);
    assert_true(isnan(statistics_jain(none, 2)));
}

/* ------------------------------------------------------------------ growth */

static const double waiters[] = {7, 15, 31, 63, 127, 255, 511};
enum { LEVELS = 7 };
static double y[LEVELS];

static void set_y(double c0, double c1, double c2, double c3)
{
    for (size_t i = 0; i < LEVELS; i++)
        y[i] = c0 + waiters[i] * (c1 + waiters[i] * (c2 + waiters[i] * c3));
}

/* 3, 5, 9 … over 1, 2, 4 …: slope and error worked out by another program. */
TEST(the_interval_is_students)
{
    const double x[] = {1, 2, 4, 8, 16, 32}, cost[] = {3, 5, 9, 17, 33, 65};
    struct fit_exponent fit = fit_exponent(x, cost, 6);
    assert_near(fit.exponent, 0.89348464);
    assert_near(fit.low, 0.83257357);
    assert_near(fit.high, 0.95439571);
}

TEST(what_has_no_logarithm_is_left_out)
{
    const double x[] = {0, 1, 2, 4, 8, 16}, cost[] = {1, 2, 4, 8, 0, 32};
    struct fit_exponent fit = fit_exponent(x, cost, 6);
    assert_int_equal(fit.levels, 4);
    assert_near(fit.exponent, 1);
    fit = fit_exponent(x, cost, 3);
    assert_near(fit.exponent, 1);
    assert_true(isnan(fit.low) && isnan(fit.high));
    fit = fit_exponent(x, cost, 2);
    assert_true(isnan(fit.exponent));
}

TEST(verdicts_need_the_whole_interval)
{
    struct fit_exponent fit = {.exponent = 1, .low = 0.76, .high = 1.24, .levels = 6};
    assert_int_equal(fit_judge(&fit), FIT_LINEAR);
    fit.levels = 5;
    assert_int_equal(fit_judge(&fit), FIT_UNDETERMINED);
    fit.levels = 6;
    fit.high = 1.26;
    assert_int_equal(fit_judge(&fit), FIT_UNDETERMINED);
    fit.low = 1.3, fit.high = 1.4; /* narrow, but near no whole exponent */
    assert_int_equal(fit_judge(&fit), FIT_UNDETERMINED);
    fit.low = NAN, fit.high = NAN;
    assert_int_equal(fit_judge(&fit), FIT_UNDETERMINED);
    assert_string_equal(fit_verdict_words[FIT_UNDETERMINED], "undetermined");
}

TEST(laws_are_found_exactly)
{
    static const struct {
        double scale, c[4]; /* of the waiters, in a level */
        const char *words;
    } cases[] = {
        {1, {0, 1, 1, 0}, "n² + n"},
        {1, {-2, 5, 0, 0}, "5·n - 2"},
        {1, {0, -0.5, 0.5, 0}, "0.5·n² - 0.5·n"},
        {1, {7, 0, 0, 0}, "7"},
        {1, {0, 0, 0, 0}, "0"},
        {1, {3, -2, 0, 0}, "-2·n + 3"},
        {1, {5, 100, 1, 0}, "n² + 100·n + 5"},
        {1, {0, 1.0 / 6, 0.5, 1.0 / 3}, "1/3·n³ + 0.5·n² + 1/6·n"}, /* the sum of the squares */
        {4, {-2, 17, 3, 0}, "3/16·n² + 17/4·n - 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double levels[LEVELS];
        char text[128];
        set_y(cases[i].c[0], cases[i].c[1], cases[i].c[2], cases[i].c[3]);
        for (size_t k = 0; k < LEVELS; k++) {
            levels[k] = cases[i].scale * waiters[k];
            y[k] = round(y[k]); /* sums of squares are whole numbers */
        }
        struct fit_polynomial fit = fit_polynomial_best(levels, y, LEVELS);
        assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), cases[i].words);
    }
}

TEST(what_is_not_exact_has_four_digits)
{
    const struct fit_polynomial fit = {.c = {1.0 / 3, 2.0 / 3}, .degree = 1};
    char text[128];
    assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), "0.6667·n + 0.3333");
}

TEST(exact_means_every_level)
{
    set_y(5, 0, 1, 0);
    y[4] += 1;
    struct fit_polynomial fit = fit_polynomial_best(waiters, y, LEVELS);
    assert_false(fit.exact);
    assert_int_equal(fit.degree, 2);
    assert_true(fit.max_residual > 0.1 && fit.max_residual < 1);
    y[4] -= 0.5; /* not a whole number of messages */
    assert_false(fit_polynomial_best(waiters, y, LEVELS).exact);
    y[4] -= 0.5;
    fit = fit_polynomial_best(waiters, y, LEVELS);
    assert_true(fit.exact);
    assert_true(fit.max_residual == 0);
    assert_true(fit_polynomial_at(&fit, 1000) == 1000005);
}

/* Any two points have a line through them, so that proves nothing; a third may lie there by chance.
 */
TEST(too_few_levels_are_never_exact)
{
    set_y(1, 2, 0, 0);
    struct fit_polynomial fit = fit_polynomial_best(waiters, y, 2);
    assert_false(fit.exact);
    assert_int_equal(fit.degree, 1);
    assert_near(fit.c[1], 2);
    assert_false(fit_polynomial_best(waiters, y, 3).exact);
    assert_true(fit_polynomial_best(waiters, y, 4).exact);
    const double same[] = {4, 4, 4, 4};
    fit = fit_polynomial(same, y, 4, 1);
    assert_true(isnan(fit.c[0]) && isnan(fit.max_residual) && !fit.exact);
    char text[128];
    assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), "undetermined");
    assert_true(isnan(fit_polynomial_best(NULL, NULL, 0).c[0]));
}

/* The bytes of `ready`, and of `ticket`. */
TEST(a_square_behind_a_line_bends)
{
    const double clients[] = {3, 10, 17, 24, 31, 38};
    double bytes[6];
    for (size_t i = 0; i < 6; i++)
        bytes[i] = 19.03 * clients[i] * clients[i] + 1300.6 * clients[i] - 344;
    struct fit_exponent exponent = fit_exponent(clients, bytes, 6);
    assert_int_equal(fit_judge(&exponent), FIT_LINEAR);
    struct fit_polynomial fit = fit_polynomial_best(clients, bytes, 6);
    assert_true(fit_bends(&fit, 38));
    assert_false(fit_bends(&fit, 10));
    for (size_t i = 0; i < 6; i++)
        bytes[i] = 0.03 * clients[i] * clients[i] + 1043 * clients[i] - 635;
    fit = fit_polynomial_best(clients, bytes, 6);
    assert_false(fit_bends(&fit, 38));
    fit = fit_polynomial_best(NULL, NULL, 0);
    assert_false(fit_bends(&fit, 38));
}

/* Powers of 4096 must not cost the digits that parts of one are recognized by. */
TEST(large_levels_stay_exact)
{
    double x[4096], cost[4096];
    for (size_t i = 0; i < 4096; i++) {
        double n = (double)(i + 1);
        x[i] = n;
        cost[i] = n * (n + 1) * (2 * n + 1) / 6 - 17 * n + 1e6;
    }
    struct fit_polynomial fit = fit_polynomial_best(x, cost, 4096);
    assert_true(fit.exact);
    assert_int_equal(fit.degree, 3);
    assert_true(fit.c[0] == 1e6);
}

TEST(a_line_gives_the_herd_coefficient)
{
    set_y(800, 40, 0, 0);
    struct fit_line line = fit_line(waiters, y, LEVELS);
    assert_near(line.intercept, 800);
    assert_near(line.slope, 40);
    assert_near(line.beta, 0.05);
    y[LEVELS - 1] *= 1.5; /* the longest, and far off: it must not decide about the intercept */
    line = fit_line(waiters, y, LEVELS);
    assert_true(fabs(line.intercept - 800) < 80);
    set_y(-800, 40, 0, 0);
    assert_true(isnan(fit_line(waiters, y, LEVELS).beta));
    set_y(800, 40, 0, 0);
    line = fit_line(waiters, y, 1);
    assert_true(isnan(line.slope) && isnan(line.intercept) && isnan(line.beta));
}

/* ------------------------------------------------------------------ of most points */

/* Three runs at each of these. */
static const double clients[] = {4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
enum { RUNS = 15 };
static double counts[RUNS];

static void set_counts(double c0, double c1, double c2)
{
    for (size_t i = 0; i < RUNS; i++)
        counts[i] = c0 + clients[i] * (c1 + clients[i] * c2);
}

static void assert_consensus(const char *expected, size_t expected_equal, double residual)
{
    char text[128];
    size_t equal;
    struct fit_polynomial fit = fit_consensus(clients, counts, RUNS, &equal);
    assert_true(fit.exact);
    assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), expected);
    assert_int_equal(equal, expected_equal);
    assert_near(fit.max_residual, residual);
}

/* Most of the runs with one n, too. */
TEST(counts_that_chance_has_moved_do_not_move_the_polynomial)
{
    set_counts(-2, 6, 0);
    counts[3] += 5;
    counts[4] += 5;
    counts[14] -= 1;
    assert_consensus("6\302\267n - 2", RUNS - 3, 5);
}

/* The last run with each n obeys another law. */
TEST(of_two_laws_most_runs_have_one)
{
    set_counts(-2, 6, 0);
    for (size_t i = 2; i < RUNS; i += 3)
        counts[i] += 7;
    assert_consensus("6\302\267n - 2", RUNS - 5, 7);
}

/* As many as a constant needs have one. */
TEST(a_law_of_few_runs_gives_way_to_one_of_more)
{
    size_t equal, moved = 0;
    set_counts(-2, 6, 0);
    for (size_t i = 0; i < RUNS && moved < 3; i++) {
        if (i == 0 || clients[i] > clients[i - 1]) {
            counts[i] = 1000;
            moved++;
        }
    }
    assert_true(fit_consensus(clients, counts, RUNS, &equal).c[1] == 6);
    assert_int_equal(equal, RUNS - 3);
}

TEST(a_polynomial_that_too_few_runs_equal_is_not_exact)
{
    size_t equal;
    for (size_t i = 0; i < RUNS; i++)
        counts[i] = clients[i] * clients[i] * clients[i];
    assert_false(fit_consensus(clients, counts, RUNS, &equal).exact);
    /* Three n determine a parabola, and a straight line needs four. */
    set_counts(1, 2, 3);
    assert_false(fit_consensus(clients, counts, 9, &equal).exact);
    set_counts(1, 2, 0);
    assert_false(fit_consensus(clients, counts, 9, &equal).exact);
    assert_true(fit_consensus(clients, counts, 12, &equal).exact);
    /* A quarter is no half. */
    set_counts(0, 0.25, 0);
    assert_false(fit_consensus(clients, counts, RUNS, &equal).exact);
}
