// SPDX-License-Identifier: Apache-2.0
/* Two sides compared, of trials made by hand. */
#include "bench/compare/ratios.h"

#include "tests/support/test.h"

#include <math.h>

#define TRIALS_MAX 6

static struct past_run run;
static struct compared_trial trials[2][TRIALS_MAX];
static struct compared_runs compared;
static struct ratios ratios;

static int set_up(void **state)
{
    (void)state;
    run.plan = run.manifest =
        json_pack("{s:[s], s:[i], s:{}, s:s, s:s, s:i}", "recipes", "scalable", "clients", 8,
                  "most_clients", "workload", "drain", "pace", "lockstep", "duration_ns", 0);
    compared = (struct compared_runs){.count = 2};
    for (size_t i = 0; i < 2; i++)
        compared.list[i] = (struct compared_run){.run = &run, .trials = trials[i]};
    return run.manifest == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    ratios_deinit(&ratios);
    json_decref(run.manifest);
    return 0;
}

/* A trial of a side, with so many RPCs, and a drain that took so long. */
static void add(size_t side, double rpcs, double drain_s)
{
    struct compared_trial *trial = &trials[side][compared.list[side].count++];
    *trial =
        (struct compared_trial){.recipe = "scalable", .counts_stand = true, .times_stand = true};
    trial->figures[COMPARED_CLIENTS] = trial->figures[COMPARED_HANDOFFS] = 8;
    trial->figures[COMPARED_RPCS] = rpcs;
    trial->figures[COMPARED_DRAIN_S] = drain_s;
}

static const struct ratio *compare(enum ratio_metric metric)
{
    struct error error;
    assert_int_equal(ratios_init(&compared, &ratios, &error), ERROR_NONE);
    assert_int_equal(ratios.count, 1);
    return &ratios.list[0].of[metric];
}

TEST_BETWEEN(counts_that_are_all_the_same_are_equal, set_up, tear_down)
{
    for (int i = 0; i < 3; i++) {
        add(0, 38, 1);
        add(1, 38, 1);
    }
    assert_int_equal(compare(RATIO_RPCS)->mark, RATIO_PLAIN);
    assert_false(ratios_counts_differ(&ratios, &ratios.list[0]));
}

/* One trial of one side is off: the least of both sides is still the same. */
TEST_BETWEEN(one_trial_that_is_off_makes_counts_differ, set_up, tear_down)
{
    for (int i = 0; i < 3; i++) {
        add(0, 38, 1);
        add(1, i == 2 ? 39 : 38, 1);
    }
    assert_int_equal(compare(RATIO_RPCS)->mark, RATIO_MARKED);
    assert_true(ratios_counts_differ(&ratios, &ratios.list[0]));
}

/* Both sides span the same: yet no law is kept. */
TEST_BETWEEN(counts_that_vary_alike_on_both_sides_differ, set_up, tear_down)
{
    for (int i = 0; i < 3; i++) {
        add(0, i == 1 ? 39 : 38, 1);
        add(1, i == 2 ? 39 : 38, 1);
    }
    assert_int_equal(compare(RATIO_RPCS)->mark, RATIO_MARKED);
}

TEST_BETWEEN(an_interval_takes_five_trials_on_each_side, set_up, tear_down)
{
    for (int i = 0; i < 5; i++)
        add(0, 38, 1 + 0.01 * i);
    for (int i = 0; i < 4; i++)
        add(1, 38, 2 + 0.01 * i);
    const struct ratio *drain = compare(RATIO_DRAIN);
    assert_true(isnan(drain->ratio.low) && isfinite(drain->ratio.value));
    assert_int_equal(drain->mark, RATIO_UNKNOWN);
    ratios_deinit(&ratios);
    add(1, 38, 2.05);
    drain = compare(RATIO_DRAIN);
    assert_true(drain->ratio.low > 1.9 && drain->ratio.high < 2.1);
    assert_int_equal(drain->mark, RATIO_MARKED);
}
