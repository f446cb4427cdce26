// SPDX-License-Identifier: Apache-2.0
/* Two sides compared, of trials made by hand. */
#include "bench/compare/internal.h"

#include "tests/support/test.h"

#include <math.h>

static struct comparison comparison;

FIXTURE(set_up)
{
    comparison.side_count = 2;
    comparison.kind = compare_kinds;
    for (size_t i = 0; i < 2; i++) {
        json_t *plan =
            json_pack("{s:[s], s:[i], s:{}}", "recipes", "scalable", "clients", 8, "most_clients");
        comparison.sides[i].run = (struct past_run){.manifest = plan,
                                                    .plan = plan,
                                                    .lockstep = true,
                                                    .drain = true,
                                                    .trials.type = &trial_row_table};
    }
    return 0;
}

FIXTURE(tear_down)
{
    comparison_deinit(&comparison);
    return 0;
}

/* A trial of a side, with so many RPCs, and a drain that took so long. */
static void add(size_t side, uint64_t rpcs, double drain_s)
{
    struct table_value *row = table_add(&comparison.sides[side].run.trials);
    row[trial_row_recipe] = table_text("scalable");
    row[trial_row_clients] = row[trial_row_handoffs] = table_count(8);
    row[trial_row_rpcs] = table_count(rpcs);
    row[trial_row_drain_s] = table_real(drain_s);
    row[trial_row_law_rpcs] = table_count(rpcs);
    row[trial_row_valid] = table_flag(true);
}

static const struct table_value *compare(const char *metric)
{
    comparison_pair_sides(&comparison);
    kind_choose_columns(&comparison);
    comparison_find_cells(&comparison);
    comparison_find_ratios(&comparison);
    assert_int_equal(comparison.cell_count, 1);
    size_t at = 0;
    while (strcmp(comparison.metrics[at].name, metric) != 0)
        at++;
    return table_row(&comparison.rows, at);
}

/* Counts are equal if all trials of both sides have the same; else no law is kept, though both
 * sides span the same. */
TEST_BETWEEN(counts_are_equal_if_all_trials_have_the_same, set_up, tear_down)
{
    static const struct {
        uint64_t rpcs[2][3];
        bool marked;
    } cases[] = {{{{38, 38, 38}, {38, 38, 38}}, false},
                 {{{38, 38, 38}, {38, 38, 39}}, true},
                 {{{38, 39, 38}, {38, 38, 39}}, true},
                 {{{38, 38, 38}, {39, 39, 39}}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t side = 0; side < 2; side++) {
            for (size_t trial = 0; trial < 3; trial++)
                add(side, cases[i].rpcs[side][trial], 1);
        }
        assert_int_equal(compare("rpcs")[ratio_marked].flag, cases[i].marked);
        comparison_conclude(&comparison);
        assert_int_equal(findings_verdict(&comparison.findings),
                         cases[i].marked ? VERDICT_FAILS : VERDICT_HOLDS);
        tear_down(NULL);
        set_up(NULL);
    }
}

/* The fifth makes one. */
TEST_BETWEEN(an_interval_takes_five_trials_on_each_side, set_up, tear_down)
{
    for (size_t trials = 4; trials <= 5; trials++) {
        for (size_t i = 0; i < 5; i++)
            add(0, 38, 1 + 0.01 * (double)i);
        for (size_t i = 0; i < trials; i++)
            add(1, 38, 2 + 0.01 * (double)i);
        const struct table_value *drain = compare("drain_s");
        assert_int_equal(drain[ratio_marked].kind, trials == 5 ? TABLE_FLAG : TABLE_UNKNOWN);
        assert_int_equal(drain[ratio_marked].flag, trials == 5);
        assert_true(trials == 5
                        ? drain[ratio_ratio_low].real > 1.9 && drain[ratio_ratio_high].real < 2.1
                        : isnan(drain[ratio_ratio_low].real) && isfinite(drain[ratio_ratio].real));
        tear_down(NULL);
        set_up(NULL);
    }
}

/* Of the rows that have an interval, which are two here. */
TEST_BETWEEN(marks_hold_for_all_intervals_at_once, set_up, tear_down)
{
    size_t marked = 0;
    for (size_t step = 0; step < 40; step++) {
        double a[5], b[5];
        for (size_t i = 0; i < 5; i++) {
            a[i] = 1 + 0.01 * (double)i;
            b[i] = a[i] * (1 + 0.001 * (double)step);
            add(0, 38, a[i]);
            add(1, 38, b[i]);
        }
        const struct table_value *drain = compare("drain_s");
        assert_int_equal(comparison.interval_count, 2);
        struct interval wide = statistics_ratio(b, 5, a, 5, 1 - 0.05 / 2);
        assert_int_equal(drain[ratio_marked].flag, wide.low > 1);
        marked += drain[ratio_marked].flag;
        tear_down(NULL);
        set_up(NULL);
    }
    assert_in_range(marked, 1, 39);
}

/* How many handoffs there are in a given time is chance, and so are their counts. */
TEST_BETWEEN(counts_of_a_given_time_are_those_of_a_handoff, set_up, tear_down)
{
    for (size_t side = 0; side < 2; side++) {
        comparison.sides[side].run.has_duration = true;
        for (size_t trial = 0; trial < 3; trial++)
            add(side, 38 + 2 * side, 1);
    }
    const struct table_value *rpcs = compare("rpcs_per_handoff");
    assert_true(fabs(rpcs[ratio_a].real - 38.0 / 8) < 1e-9);
    assert_int_equal(rpcs[ratio_marked].kind, TABLE_UNKNOWN);
    comparison_conclude(&comparison);
    assert_int_equal(findings_verdict(&comparison.findings), VERDICT_HOLDS);
}

static void add_notified(size_t side, uint64_t clients, uint64_t notifications)
{
    struct table *trials = &comparison.sides[side].run.trials;
    add(side, 38, 1);
    struct table_value *row = &trials->values[(trials->rows - 1) * trials->type->count];
    row[trial_row_clients] = table_count(clients);
    row[trial_row_notifications] = table_count(notifications);
}

/* One client is notified of nothing: the ratio over all sizes is of the others. */
TEST_BETWEEN(a_count_of_zero_has_no_ratio, set_up, tear_down)
{
    size_t metric = 0;
    for (size_t side = 0; side < 2; side++) {
        for (size_t trial = 0; trial < 3; trial++) {
            add_notified(side, 1, 0);
            add_notified(side, 8, 7 + 7 * side);
        }
    }
    comparison_pair_sides(&comparison);
    kind_choose_columns(&comparison);
    comparison_find_cells(&comparison);
    comparison_find_ratios(&comparison);
    while (strcmp(comparison.metrics[metric].name, "notifications") != 0)
        metric++;
    const struct overall overall =
        overall_of(&comparison, comparison.cells[0].group, &comparison.sides[1], metric, NULL);
    assert_int_equal(comparison.cell_count, 2);
    assert_int_equal(overall.sizes, 1);
    assert_int_equal(overall.left_out, 1);
    assert_int_equal(overall.only, 8);
    assert_true(fabs(overall.ratio.value - 2) < 1e-9);
}
