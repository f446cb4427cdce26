// SPDX-License-Identifier: Apache-2.0
/* The herd coefficient and the knee, from synthetic trials of which both are known. */
#include "capacity/herd.h"
#include "capacity/knee.h"

#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>

static const double sizes[] = {1, 3, 7, 15, 31, 63};
enum { SIZES = 6, EACH = 3, TRIALS = SIZES * EACH };

static double normal(struct random *random)
{
    double sum = -6; /* of twelve uniform values */
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

/* A bare handoff of 2 ms; each waiter costs beta of it; the noise is a share of the time. */
static void make(struct herd_trial *trials, double beta, double noise, struct random *random)
{
    for (size_t i = 0; i < TRIALS; i++) {
        double w = sizes[i % SIZES];
        trials[i].waiters = w;
        trials[i].handoff_s = 0.002 * (1 + beta * w) * exp(noise * normal(random));
    }
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fmax(1e-3, fabs(expected))))
        fail_msg("%.9g is not %.9g", found, expected);
}

TEST(a_line_without_noise_is_found)
{
    struct herd_trial trials[TRIALS];
    struct random random;
    random_init(&random, 1);
    make(trials, 0.05, 0, &random);
    struct herd herd = herd_fit(trials, TRIALS);
    assert_int_equal(herd.state, HERD_KNOWN);
    assert_int_equal(herd.trials, TRIALS);
    assert_near(herd.beta.value, 0.05);
    assert_near(herd.bare_s.value, 0.002);
    assert_near(herd.slope_s.value, 0.0001);
    assert_false(herd.bends);
    assert_near(herd.least, 1);
    assert_near(herd.most, 63);
}

/* Worked out by another program, from the normal equations. */
TEST(the_interval_is_fiellers)
{
    const struct herd_trial trials[] = {{1, 1.1}, {2, 1.1}, {4, 1.5}, {8, 1.7}, {16, 2.7}};
    struct herd herd = herd_fit(trials, 5);
    assert_int_equal(herd.state, HERD_KNOWN);
    assert_near(herd.beta.value, 0.108991104);
    assert_near(herd.beta.low, 0.0598464653);
    assert_near(herd.beta.high, 0.179549713);
    assert_near(herd.bare_s.low, 0.763328654);
    assert_near(herd.slope_s.high, 0.142923697);
}

/* Of 1,000 intervals of 95 %, 929 to 969 hold the value in all but one of a thousand cases. */
TEST(the_interval_holds_the_coefficient_as_often_as_it_says)
{
    static const double betas[] = {0, 0.02, 0.5};
    struct random random;
    random_init(&random, 7);
    for (size_t b = 0; b < 3; b++) {
        size_t held = 0;
        for (int i = 0; i < 1000; i++) {
            struct herd_trial trials[TRIALS];
            make(trials, betas[b], 0.1, &random);
            struct herd herd = herd_fit(trials, TRIALS);
            assert_int_equal(herd.state, HERD_KNOWN);
            held += herd.beta.low <= betas[b] && betas[b] <= herd.beta.high;
        }
        if (held < 929 || held > 969)
            fail_msg("beta %.2f: %zu of 1,000 intervals hold it", betas[b], held);
    }
}

/* So steep that noise hides what a bare handoff takes. */
TEST(without_a_bare_handoff_there_is_a_slope_alone)
{
    const struct herd_trial trials[] = {{10, 11}, {20, 23}, {40, 38}, {80, 84}, {160, 155}};
    struct herd herd = herd_fit(trials, 5);
    assert_int_equal(herd.state, HERD_BARE_NOT_KNOWN);
    assert_true(isnan(herd.beta.value) && isnan(herd.beta.low));
    assert_true(herd.slope_s.low > 0.8 && herd.slope_s.high < 1.2);
}

TEST(too_few_trials_have_no_interval)
{
    const struct herd_trial trials[] = {{1, 1.1}, {2, 1.2}, {4, 1.4}, {8, 1.8}, {8, -1}, {9, NAN}};
    struct herd herd = herd_fit(trials, 6);
    assert_int_equal(herd.state, HERD_FEW_TRIALS);
    assert_int_equal(herd.trials, 4);
    assert_near(herd.beta.value, 0.1);
    assert_true(isnan(herd.beta.low) && isnan(herd.slope_s.low));
    assert_int_equal(herd_fit(trials, 1).state, HERD_ONE_SIZE);
    assert_int_equal(herd_fit(trials, 0).state, HERD_ONE_SIZE);
    assert_true(isnan(herd_fit(trials, 0).beta.value));
}

/* A herd of which each member lists all others costs the square. */
TEST(a_bend_is_told)
{
    struct herd_trial trials[SIZES];
    for (size_t i = 0; i < SIZES; i++)
        trials[i] = (struct herd_trial){sizes[i], 1 + 0.01 * sizes[i] + 0.01 * sizes[i] * sizes[i]};
    assert_true(herd_fit(trials, SIZES).bends);
    assert_false(herd_fit(trials, 4).bends); /* too few to know */
    /* The last is low by chance: the others are as far from the curve. */
    const struct herd_trial noise[] = {{1, 1.4},  {1, 1.3},  {4, 1.1},  {4, 1.4},
                                       {16, 1.9}, {16, 1.1}, {64, 1.2}, {64, 1.3}};
    assert_false(herd_fit(noise, 8).bends);
}

/* ------------------------------------------------------------------ the knee */

/* A handoff of 8 ms and a hold of 2 ms; 1 ms of one server's core a handoff: ten locks. */
static struct utilisation_figures lone_lock(double factor)
{
    return (struct utilisation_figures){.locks = 1,
                                        .hold_s = 0.002,
                                        .handoff_s = 0.01 * factor - 0.002,
                                        .handoffs = 1000,
                                        .elapsed_s = 10,
                                        .driver_cpu_s = 0.2,
                                        .driver_cores = 1,
                                        .cores = 8,
                                        .span_s = 10,
                                        .servers = 1,
                                        .server_cpu_s = {1},
                                        .server_cores = 1,
                                        .fsync_s = {NAN}};
}

static struct knee_trials trials_of(const struct utilisation_figures *list, size_t count)
{
    struct knee_trials trials = {.count = 0};
    for (size_t i = 0; i < count; i++)
        knee_trials_add(&trials, &list[i]);
    return trials;
}

static struct knee find(const struct utilisation_figures *lone, size_t lone_count,
                        const struct utilisation_figures *busy, size_t busy_count)
{
    const struct knee_trials of_one = trials_of(lone, lone_count),
                             of_many = trials_of(busy, busy_count);
    return knee_find(&of_one, &of_many);
}

TEST(the_knee_is_where_both_bounds_meet)
{
    const struct utilisation_figures trial = lone_lock(1);
    struct knee knee = find(&trial, 1, &trial, 1);
    assert_near(knee.locks.value, 10);
    assert_true(isnan(knee.locks.low) && isnan(knee.most_per_s.low));
    assert_int_equal(knee.of, UTILISATION_SERVER_CPU);
    assert_near(knee.most_per_s.value, 1000);
}

/* Servers that are busy take half of the time for each handoff, and are slower. */
TEST(the_handoff_is_that_of_one_lock_and_the_demand_that_of_many)
{
    const struct utilisation_figures lone = lone_lock(1);
    struct utilisation_figures busy = lone_lock(5);
    busy.handoffs *= 2;
    busy.locks = 20;
    struct knee knee = find(&lone, 1, &busy, 1);
    assert_near(knee.locks.value, 20);
    assert_near(knee.most_per_s.value, 2000);
    assert_near(knee.cycle_s.value, 0.01);
    knee = find(&lone, 1, NULL, 0);
    assert_near(knee.locks.value, 10);
}

/* More locks than were measured may take less time for each handoff. */
TEST(the_demand_of_fewer_locks_than_the_knee_is_a_lower_bound)
{
    const struct utilisation_figures lone = lone_lock(1);
    struct utilisation_figures busy = lone_lock(5);
    assert_true(find(&lone, 1, NULL, 0).at_least);
    assert_int_equal(find(&lone, 1, NULL, 0).demand_locks, 1);
    busy.locks = 9;
    assert_true(find(&lone, 1, &busy, 1).at_least);
    busy.locks = 11;
    assert_false(find(&lone, 1, &busy, 1).at_least);
    assert_int_equal(find(&lone, 1, &busy, 1).demand_locks, 11);
}

/* The means are those of logarithms: factors f and 1/f cancel. */
TEST(each_trial_counts_once)
{
    struct utilisation_figures trials[6];
    for (size_t i = 0; i < 6; i++)
        trials[i] = lone_lock(i % 2 == 0 ? 1.25 : 0.8);
    trials[0].servers = 0; /* no demand is known */
    trials[1].servers = 0;
    struct knee knee = find(trials, 6, trials, 6);
    assert_near(knee.locks.value, 10);
    assert_near(knee.cycle_s.value, 0.01);
    assert_true(knee.cycle_s.low < 0.01 && knee.cycle_s.high > 0.01);
    assert_true(isnan(knee.locks.low) && isnan(knee.most_per_s.low)); /* four demands */
    trials[0] = lone_lock(1.25);
    knee = find(trials, 6, trials, 6);
    assert_true(knee.locks.low < 10 && knee.locks.high > 10);
    assert_near(knee.most_per_s.low, 1000); /* all alike */
    assert_near(knee.most_per_s.high, 1000);
    for (size_t i = 0; i < 6; i++)
        trials[i].server_cpu_s[0] = i % 2 == 0 ? 1.1 : 1 / 1.1;
    knee = find(trials, 6, trials, 6);
    assert_true(knee.most_per_s.low < 1000 && knee.most_per_s.high > 1000);
    assert_true(knee.most_per_s.low < knee.most_per_s.value);
    assert_true(knee.most_per_s.value < knee.most_per_s.high);
    trials[0].handoff_s = trials[1].handoff_s = NAN;
    assert_true(isnan(find(trials, 6, trials, 6).locks.low)); /* four handoffs */
    knee = find(trials, 0, trials, 0);
    assert_true(isnan(knee.locks.value));
}
