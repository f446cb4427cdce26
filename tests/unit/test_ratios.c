// SPDX-License-Identifier: Apache-2.0
/* Two sides compared, of trials made by hand. */
#include "bench/compare/internal.h"

#include "tests/support/test.h"

#include <math.h>

static json_t *manifest;
static struct past_run runs[2];
static struct compared_runs compared;
static struct ratios ratios;

static int set_up(void **state)
{
    (void)state;
    manifest =
        json_pack("{s:[s], s:[i], s:{}}", "recipes", "scalable", "clients", 8, "most_clients");
    compared = (struct compared_runs){.count = 2};
    for (size_t i = 0; i < 2; i++) {
        runs[i] = (struct past_run){
            .plan = manifest, .lockstep = true, .drain = true, .trials.type = &trial_row_table};
        compared.list[i].run = &runs[i];
    }
    return manifest == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    ratios_deinit(&ratios);
    compared_runs_deinit(&compared);
    for (size_t i = 0; i < 2; i++)
        table_deinit(&runs[i].trials);
    json_decref(manifest);
    return 0;
}

/* A trial of a side, with so many RPCs, and a drain that took so long. */
static void add(size_t side, uint64_t rpcs, double drain_s)
{
    struct table_value *row = table_add(&runs[side].trials);
    row[trial_row_recipe] = table_text("scalable");
    row[trial_row_clients] = row[trial_row_handoffs] = table_count(8);
    row[trial_row_rpcs] = table_count(rpcs);
    row[trial_row_drain_s] = table_real(drain_s);
    row[trial_row_complete] = row[trial_row_drained] = table_flag(true);
}

static const struct ratio *compare(enum ratio_metric metric)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    for (size_t i = 0; i < 2; i++) {
        table_cells_deinit(&compared.list[i].cells);
        compared.list[i].cells = table_group(&runs[i].trials, keys, 2);
    }
    ratios_init(&compared, &ratios);
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
