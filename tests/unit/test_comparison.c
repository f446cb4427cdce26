// SPDX-License-Identifier: Apache-2.0
/* Two sides compared, and limits of their ratios, judged over all sizes: of trials made by hand,
 * and of many comparisons of trials that are drawn. */
#include "bench/compare/internal.h"

#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>

static struct comparison comparison;
static const uint64_t sizes[] = {2, 4, 8, 16};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void begin(void)
{
    static const struct result_kind run = {.type = &trial_row_table};
    comparison = (struct comparison){.side_count = 2, .kind = &run};
    for (size_t i = 0; i < 2; i++) {
        json_t *plan = json_pack("{s:[s]}", "recipes", "scalable");
        comparison.sides[i] = (struct side){.manifest = plan,
                                            .plan = plan,
                                            .lockstep = true,
                                            .drain = true,
                                            .trials.type = &trial_row_table};
    }
}

static void end(void)
{
    comparison_deinit(&comparison);
}

static void compare(void)
{
    comparison_pair_sides(&comparison);
    comparison_choose_columns(&comparison);
    comparison_find_cells(&comparison);
    comparison_find_ratios(&comparison);
}

static void add(size_t side, uint64_t clients, uint64_t trial, double handoff_us)
{
    struct table_value *row = table_add(&comparison.sides[side].trials);
    row[trial_row_recipe] = table_text("scalable");
    row[trial_row_clients] = row[trial_row_handoffs] = row[trial_row_rpcs] =
        row[trial_row_law_rpcs] = table_count(clients);
    row[trial_row_trial] = table_count(trial);
    row[trial_row_handoff_p50_us] = table_real(handoff_us);
    row[trial_row_valid] = table_flag(true);
}

/* ------------------------------------------------------------------ ratios */

/* A trial of a side with 8 clients. */
static void add_drain(size_t side, uint64_t rpcs, double drain_s)
{
    add(side, 8, 0, 1);
    struct table *trials = &comparison.sides[side].trials;
    struct table_value *row = &trials->values[(trials->rows - 1) * trials->type->count];
    row[trial_row_rpcs] = row[trial_row_law_rpcs] = table_count(rpcs);
    row[trial_row_trial] = table_real(NAN);
    row[trial_row_handoff_p50_us] = table_real(NAN);
    row[trial_row_drain_s] = table_real(drain_s);
}

static size_t find_metric(const char *name)
{
    size_t at = 0;
    while (strcmp(comparison.metrics[at].name, name) != 0)
        at++;
    return at;
}

/* The row of a metric in the only cell. */
static const struct table_value *row_of(const char *metric)
{
    compare();
    assert_int_equal(comparison.cell_count, 1);
    return table_row(&comparison.rows, find_metric(metric));
}

/* Counts are equal if all trials of both sides have the same; else no law is kept, though both
 * sides span the same. */
TEST(counts_are_equal_if_all_trials_have_the_same)
{
    begin();
    static const struct {
        uint64_t rpcs[2][3];
        bool marked;
    } cases[] = {{{{38, 38, 38}, {38, 38, 38}}, false},
                 {{{38, 38, 38}, {38, 38, 39}}, true},
                 {{{38, 38, 39}, {38, 38, 38}}, true},
                 {{{38, 39, 38}, {38, 38, 39}}, true},
                 {{{38, 38, 38}, {39, 39, 39}}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t side = 0; side < 2; side++) {
            for (size_t trial = 0; trial < 3; trial++)
                add_drain(side, cases[i].rpcs[side][trial], 1);
        }
        assert_int_equal(row_of("rpcs")[ratio_marked].flag, cases[i].marked);
        comparison_conclude(&comparison);
        assert_int_equal(findings_verdict(&comparison.findings),
                         cases[i].marked ? VERDICT_FAILS : VERDICT_HOLDS);
        end();
        begin();
    }
    end();
}

/* Its counts are left out, whatever they are. */
TEST(one_trial_that_fails_is_a_failed_verdict)
{
    begin();
    for (size_t side = 0; side < 2; side++) {
        add_drain(side, 38, 1);
        add_drain(side, 38, 1);
    }
    comparison.sides[1].trials.values[trial_row_violations] = table_count(1);
    comparison.sides[1].trials.values[trial_row_rpcs] = table_count(39);
    assert_false(row_of("rpcs")[ratio_marked].flag);
    comparison_conclude(&comparison);
    assert_int_equal(findings_verdict(&comparison.findings), VERDICT_FAILS);
    end();
}

/* How many handoffs there are in a given time is chance, and so are their counts. */
TEST(counts_of_a_given_time_are_those_of_a_handoff)
{
    begin();
    for (size_t side = 0; side < 2; side++) {
        comparison.sides[side].has_duration = true;
        for (size_t trial = 0; trial < 3; trial++)
            add_drain(side, 38 + 2 * side, 1);
    }
    const struct table_value *rpcs = row_of("rpcs_per_handoff");
    assert_true(fabs(rpcs[ratio_a].real - 38.0 / 8) < 1e-9);
    assert_int_equal(rpcs[ratio_marked].kind, TABLE_UNKNOWN);
    comparison_conclude(&comparison);
    assert_int_equal(findings_verdict(&comparison.findings), VERDICT_HOLDS);
    end();
}

static void add_notified(size_t side, uint64_t clients, uint64_t notifications)
{
    struct table *trials = &comparison.sides[side].trials;
    add_drain(side, 38, 1);
    struct table_value *row = &trials->values[(trials->rows - 1) * trials->type->count];
    row[trial_row_clients] = table_count(clients);
    row[trial_row_notifications] = table_count(notifications);
}

/* One client is notified of nothing: the ratio over all sizes is of the others. */
TEST(a_count_of_zero_has_no_ratio)
{
    begin();
    for (size_t side = 0; side < 2; side++) {
        for (size_t trial = 0; trial < 3; trial++) {
            add_notified(side, 1, 0);
            add_notified(side, 8, 7 + 7 * side);
        }
    }
    compare();
    size_t metric = find_metric("notifications");
    const struct overall overall =
        overall_of(&comparison, comparison.cells[0].group, &comparison.sides[1], metric, NULL);
    assert_int_equal(comparison.cell_count, 2);
    assert_int_equal(overall.sizes, 1);
    assert_int_equal(overall.left_out, 1);
    assert_int_equal(overall.only, 8);
    assert_true(fabs(overall.ratio.value - 2) < 1e-9);
    end();
}

/* ------------------------------------------------------------------ limits */

/* About normal, of variance 1. */
static double draw(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

/* Trials that scatter by 20 %, half of it in common to all trials of a round; side B takes
 * `slower` times as long. */
static void add_drawn(struct random *random, size_t trials, double slower)
{
    for (size_t side = 0; side < 2; side++) {
        for (size_t trial = 1; trial <= trials; trial++) {
            double shared = 0.14 * draw(random);
            for (size_t i = 0; i < SIZES; i++)
                add(side, sizes[i], trial,
                    500 * (double)sizes[i] * (side == 1 ? slower : 1) *
                        exp(shared + 0.14 * draw(random)));
        }
    }
}

static const struct overall *judge(const char *text)
{
    static struct limit limit;
    struct error error;
    assert_true(limit_parse(text, &limit));
    compare();
    assert_int_equal(comparison_judge_limits(&comparison, &limit, 1, &error), ERROR_NONE);
    assert_int_equal(comparison.gate_count, 1);
    return &comparison.gates[0];
}

/* ------------------------------------------------------------------ verdicts */

/* Side B takes so many times as long; trials scatter by 1 %. */
static void add_made(double slower, size_t trials)
{
    for (size_t side = 0; side < 2; side++) {
        for (size_t trial = 1; trial <= trials; trial++) {
            for (size_t i = 0; i < SIZES; i++)
                add(side, sizes[i], trial,
                    500 * (side == 1 ? slower : 1) * (1 + 0.01 * (double)((trial + i) % 5)));
        }
    }
}

TEST(the_interval_is_above_the_limit_or_below_or_around)
{
    static const struct {
        const char *text;
        double slower;
        size_t trials;
        enum verdict verdict;
    } cases[] = {{"handoff p50 > 1.2", 1.5, 6, VERDICT_FAILS},
                 {"handoff p50 > 1.2", 1.0, 6, VERDICT_HOLDS},
                 {"handoff p50 > 1.2", 1.2, 6, VERDICT_UNDETERMINED},
                 {"handoff p50 > 1.2", 1.5, 4, VERDICT_UNDETERMINED},
                 {" Handoff  P50_us <= 0.8", 0.5, 6, VERDICT_FAILS},
                 {"handoff_p50_us < 0.8", 1.0, 6, VERDICT_HOLDS},
                 {"handoff p50 > 1.2 at n=8", 1.5, 6, VERDICT_FAILS},
                 {"rpcs > 1", 1.5, 6, VERDICT_HOLDS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        add_made(cases[i].slower, cases[i].trials);
        const struct overall *result = judge(cases[i].text);
        assert_int_equal(result->verdict, cases[i].verdict);
        assert_int_equal(result->sizes, strstr(cases[i].text, "at n") != NULL ? 1 : SIZES);
        end();
    }
}

/* A size of too few trials is left out; one size that is slower is not overlooked. */
TEST(all_sizes_are_judged_together)
{
    begin();
    for (size_t side = 0; side < 2; side++) {
        for (size_t trial = 1; trial <= 7; trial++) {
            for (size_t i = 0; i < (trial > 6 ? 1 : trial > 4 ? SIZES - 1 : SIZES); i++)
                add(side, sizes[i], trial, 500 * (side == 1 && i == 0 ? 8 : 1));
        }
    }
    const struct overall *result = judge("handoff p50 > 1.2");
    assert_int_equal(result->sizes, SIZES - 1);
    assert_int_equal(result->left_out, 1);
    assert_int_equal(result->trials_a, 6); /* the fewest that are used */
    assert_int_equal(result->trials_b, 6);
    assert_true(fabs(result->ratio.value - 2) < 1e-9); /* of 8, 1, 1 */
    assert_int_equal(result->verdict, VERDICT_FAILS);
    end();
}

/* Limits of several operands are of the later ones: topologies of the first are no regression of
 * each other. */
TEST(topologies_of_the_first_operand_are_not_judged)
{
    begin();
    add_made(2, 6);
    comparison.side_count = 4;
    for (size_t i = 2; i < 4; i++) {
        comparison.sides[i] = comparison.sides[i - 2];
        json_incref(comparison.sides[i].manifest);
        comparison.sides[i].operand = 1;
        comparison.sides[i].trials = (struct table){.type = &trial_row_table};
        for (size_t trial = 1; trial <= 6; trial++)
            add(i, 8, trial, i == 3 ? 1000 : 500);
    }
    for (size_t i = 0; i < 4; i++)
        comparison.sides[i].servers = i % 2 == 0 ? 1 : 3;
    struct limit limit;
    struct error error;
    assert_true(limit_parse("handoff p50 > 1.2", &limit));
    compare();
    assert_int_equal(comparison_judge_limits(&comparison, &limit, 1, &error), ERROR_NONE);
    assert_int_equal(comparison.gate_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(comparison.gates[i].side, &comparison.sides[2 + i]);
        assert_ptr_equal(comparison.sides[2 + i].base, &comparison.sides[i]);
        assert_int_equal(comparison.gates[i].verdict, VERDICT_HOLDS);
    }
    end();
}

/* ------------------------------------------------------------------ many comparisons */

#define PAIRS 200

/* Of 200 pairs of the same thing, at most those that the level of 2.5 % allows on one side, and as
 * many as chance may add; nothing has a star in more than 5 %. */
TEST(the_same_thing_is_not_found_worse)
{
    struct random random;
    size_t worse = 0, starred = 0;
    random_init(&random, 20);
    for (size_t pair = 0; pair < PAIRS; pair++) {
        begin();
        add_drawn(&random, 5, 1);
        worse += judge("handoff p50 > 1")->verdict == VERDICT_FAILS;
        bool star = false;
        for (size_t i = 0; i < comparison.rows.rows; i++)
            star = star || table_row(&comparison.rows, i)[ratio_marked].flag;
        starred += star;
        end();
    }
    assert_in_range(worse, 0, PAIRS * 25 / 1000);
    assert_in_range(starred, 0, PAIRS * 5 / 100);
}

/* With the number of trials that an undetermined pair recommends, a slowdown of 20 % is found in 9
 * of 10 fresh pairs. */
TEST(with_the_recommended_trials_a_fifth_is_found)
{
    struct random random;
    size_t found = 0, asked = 0;
    random_init(&random, 21);
    while (asked < PAIRS) {
        begin();
        add_drawn(&random, 5, 1.2);
        const struct overall *result = judge("handoff p50 > 1");
        size_t needed = result->verdict == VERDICT_UNDETERMINED ? result->needed : 0;
        end();
        if (needed == 0)
            continue;
        asked++;
        begin();
        add_drawn(&random, needed, 1.2);
        found += judge("handoff p50 > 1")->verdict == VERDICT_FAILS;
        end();
    }
    assert_in_range(found, PAIRS * 9 / 10, PAIRS);
}
