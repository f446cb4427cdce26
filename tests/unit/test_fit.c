// SPDX-License-Identifier: Apache-2.0
#include "measure/fit.h"

#include "tests/support/test.h"

#include <math.h>

/* cmocka compares floats only, which have seven digits. */
static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fmax(1, fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

static const double waiters[] = {7, 15, 31, 63, 127, 255, 511};
enum { LEVELS = 7 };
static double y[LEVELS];

static void set_y(double c0, double c1, double c2, double c3)
{
    for (size_t i = 0; i < LEVELS; i++)
        y[i] = c0 + waiters[i] * (c1 + waiters[i] * (c2 + waiters[i] * c3));
}

static void assert_described(const char *expected)
{
    char text[128];
    struct fit_polynomial fit = fit_polynomial_best(waiters, y, LEVELS);
    assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), expected);
}

TEST(powers_have_their_exponent)
{
    static const char *const words[] = {"O(1)", "O(n)", "O(n^2)", "O(n^3)"};
    for (int c = 0; c <= 3; c++) {
        for (size_t i = 0; i < LEVELS; i++)
            y[i] = 0.3 * pow(waiters[i], c);
        struct fit_exponent fit = fit_exponent(waiters, y, LEVELS);
        assert_near(fit.exponent, c);
        assert_near(fit.low, c);
        assert_near(fit.high, c);
        assert_int_equal(fit.levels, LEVELS);
        assert_string_equal(fit_verdict_words(fit_judge(&fit)), words[c]);
    }
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
    assert_int_equal(fit.left_out, 2);
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
    assert_string_equal(fit_verdict_words(FIT_UNDETERMINED), "undetermined");
}

TEST(laws_are_found_exactly)
{
    set_y(0, 1, 1, 0);
    assert_described("n² + n");
    set_y(-2, 5, 0, 0);
    assert_described("5·n - 2");
    set_y(0, -0.5, 0.5, 0);
    assert_described("0.5·n² - 0.5·n");
    set_y(7, 0, 0, 0);
    assert_described("7");
    set_y(0, 0, 0, 0);
    assert_described("0");
    set_y(3, -2, 0, 0);
    assert_described("-2·n + 3");
    set_y(5, 100, 1, 0);
    assert_described("n² + 100·n + 5");
    for (size_t i = 0; i < LEVELS; i++) /* the sum of the squares up to n */
        y[i] = waiters[i] * (waiters[i] + 1) * (2 * waiters[i] + 1) / 6;
    assert_described("1/3·n³ + 0.5·n² + 1/6·n");
    for (size_t i = 0; i < LEVELS; i++) /* 3n²/16 + 17n/4 - 2 at n = 4w */
        y[i] = 3 * waiters[i] * waiters[i] + 17 * waiters[i] - 2;
    double clients[LEVELS];
    for (size_t i = 0; i < LEVELS; i++)
        clients[i] = 4 * waiters[i];
    char text[128];
    struct fit_polynomial fit = fit_polynomial_best(clients, y, LEVELS);
    assert_string_equal(fit_describe(&fit, 'n', text, sizeof text), "3/16·n² + 17/4·n - 2");
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

/* The requests and the bytes of `counter`, whose number has a digit, and later two: a cubic of
 * 24ths goes through the bytes. */
TEST(what_fits_by_chance_is_not_exact)
{
    const double clients[] = {1, 5, 9, 13, 17};
    const double requests[] = {2, 30, 90, 182, 306}, bytes[] = {251, 3085, 8847, 17553, 29219};
    struct fit_polynomial fit = fit_polynomial_best(clients, requests, 5);
    assert_true(fit.exact);
    assert_int_equal(fit.degree, 2);
    fit = fit_polynomial_best(clients, bytes, 5);
    assert_false(fit.exact);
    assert_int_equal(fit.degree, 2);
    struct fit_exponent exponent = fit_exponent(clients, bytes, 5);
    assert_int_equal(fit_judge(&exponent), FIT_UNDETERMINED);
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
    assert_int_equal(line.levels, LEVELS);
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

TEST(counts_obey_the_polynomial_of_the_lowest_degree)
{
    set_counts(7, 0, 0);
    assert_consensus("7", RUNS, 0);
    set_counts(-2, 6, 0);
    assert_consensus("6\302\267n - 2", RUNS, 0);
    set_counts(0, -0.5, 0.5);
    assert_consensus("0.5\302\267n\302\262 - 0.5\302\267n", RUNS, 0);
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
