// SPDX-License-Identifier: Apache-2.0
/* Figure 8 of the paper: the schedule, the rates of an event, and what is judged. */

#include "base/clock.h"
#include "bench/paper/figure8.h"

#include "tests/support/test.h"

#include <math.h>

#define SECONDS 34 /* two for each part of five servers' schedule */
#define SAMPLES (SECONDS * OUTAGES_SAMPLES_PER_S)
#define FULL    100 /* operations of a sample */

static struct paper paper;
static struct figure8 figure;

FIXTURE(make)
{
    paper = paper_new(&evaluation_figure8);
    figure8_init(&figure, &paper, 5, SECONDS * NS_PER_S);
    return 0;
}

FIXTURE(clear)
{
    figure8_deinit(&figure);
    paper_deinit(&paper);
    return 0;
}

/* ------------------------------------------------------------------ trials made up */

struct trial {
    bool valid;
    struct load_fault_result faults[FIGURE8_FAULTS_MAX];
    struct figure8_operations operations[SAMPLES];
};

/* Every fault at its time; rates as told by these percents of FULL, in turn: before, while down and
 * after, of every event. */
static struct trial make_trial(uint64_t down, uint64_t after)
{
    struct trial trial = {.valid = true};
    for (uint32_t i = 0; i < SAMPLES; i++)
        trial.operations[i] = (struct figure8_operations){.reads = FULL - 30, .writes = 30};
    for (uint32_t fault = 0; fault < 10; fault++) {
        uint64_t at_ns = figure.schedule[fault].at_ns;
        uint64_t length_ns = fault % 2 == 0 ? 2 * NS_PER_S : 4 * NS_PER_S;
        trial.faults[fault] =
            (struct load_fault_result){.carried_out = true, .count = 1, .at_ns = at_ns};
        uint64_t from_ns = fault % 2 == 0 ? at_ns : at_ns + 2 * NS_PER_S;
        for (uint64_t ns = from_ns; ns < at_ns + length_ns; ns += NS_PER_S / 10)
            trial.operations[ns / (NS_PER_S / 10)] =
                (struct figure8_operations){.reads = fault % 2 == 0 ? down : after};
    }
    return trial;
}

static void add(struct trial trial)
{
    figure8_add(&figure, 1 + figure.faults.rows / 10, trial.valid, trial.faults, trial.operations);
}

/* The row of a fault. */
static const struct table_value *row_of(uint32_t trial, uint32_t fault)
{
    return table_row(&figure.faults, (size_t)10 * trial + fault);
}

static void sum_up(void)
{
    paper_deinit(&paper);
    paper = paper_new(&evaluation_figure8);
    figure8_judge(&figure, NULL);
}

static const struct table_value *judge(const char *row)
{
    sum_up();
    for (size_t i = 0; i < paper.judgements.rows; i++) {
        if (strcmp(table_row(&paper.judgements, i)[shape_row].text, row) == 0)
            return table_row(&paper.judgements, i);
    }
    fail_msg("no judgement: %s", row);
    return NULL;
}

static enum verdict verdict_of(const char *row)
{
    return verdict_of_word(judge(row)[shape_verdict].text);
}

/* ------------------------------------------------------------------ the schedule */

/* Of three servers two cannot be killed. */
TEST_BETWEEN(the_schedule_is_the_papers, make, clear)
{
    static const enum load_fault_target targets[2][FIGURE8_EVENTS_MAX] = {
        {LOAD_FAULT_FOLLOWER, LOAD_FAULT_ANOTHER_FOLLOWER, LOAD_FAULT_LEADER, LOAD_FAULT_FOLLOWER,
         LOAD_FAULT_LEADER},
        {LOAD_FAULT_FOLLOWER, LOAD_FAULT_ANOTHER_FOLLOWER, LOAD_FAULT_LEADER, LOAD_FAULT_LEADER}};
    for (size_t k = 0; k < 2; k++) {
        uint64_t servers = k == 0 ? 5 : 3, parts = figure8_parts(servers);
        figure8_deinit(&figure);
        figure8_init(&figure, &paper, servers, parts * 2 * NS_PER_S);
        assert_int_equal(figure.events, 5 - k);
        assert_int_equal(parts, 2 + 3 * (5 - k));
        for (uint32_t i = 0; i < figure.events; i++) {
            const struct load_fault *kill = &figure.schedule[2 * i], *restart = kill + 1;
            assert_int_equal(kill->target, targets[k][i]);
            assert_int_equal(kill->servers, k == 0 && i == 3 ? 2 : 1);
            assert_int_equal(kill->at_ns, (4 + 6 * i) * NS_PER_S);
            assert_int_equal(restart->target, LOAD_FAULT_DOWN);
            assert_int_equal(restart->at_ns, (6 + 6 * i) * NS_PER_S);
        }
    }
}

/* ------------------------------------------------------------------ rates */

TEST_BETWEEN(rates_are_of_the_parts_of_an_event, make, clear)
{
    add(make_trial(80, 90));
    static const char *const words[] = {"a follower", "another follower", "the leader",
                                        "two followers", "the leader"};
    for (uint32_t event = 0; event < 5; event++) {
        const struct table_value *row = row_of(0, 2 * event);
        assert_string_equal(row[figure8_fault_event].text, words[event]);
        double before = event == 0 ? 1000 : 900; /* behind the first: what came after the last */
        assert_true(fabs(row[figure8_fault_before_per_s].real - before) < 1e-6);
        assert_true(fabs(row[figure8_fault_down_per_s].real - 800) < 1e-6);
        assert_true(fabs(row[figure8_fault_after_per_s].real - 900) < 1e-6);
    }
}

TEST_BETWEEN(a_fault_that_was_not_carried_out_has_no_rates, make, clear)
{
    struct trial trial = make_trial(80, 90);
    trial.faults[3].carried_out = false;
    add(trial);
    assert_true(isnan(table_number(&row_of(0, 2)[figure8_fault_before_per_s])));
    assert_true(isfinite(table_number(&row_of(0, 0)[figure8_fault_after_per_s])));
    assert_true(isfinite(table_number(&row_of(0, 4)[figure8_fault_before_per_s])));
}

/* ------------------------------------------------------------------ judgements */

static void silence(struct trial *trial, uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < from + count; i++)
        trial->operations[i] = (struct figure8_operations){0};
}

/* Nine tenths of a second without an operation are no second at zero, nor are ten of two seconds.
 */
TEST_BETWEEN(a_second_at_zero_is_of_its_fault, make, clear)
{
    struct trial trial = make_trial(80, 90);
    silence(&trial, 41, 9);   /* a follower was killed at 4 s */
    silence(&trial, 165, 10); /* the leader at 16 s */
    add(trial);
    assert_int_equal(verdict_of("no second at zero, followers"), VERDICT_HOLDS);
    assert_int_equal(verdict_of("no second at zero, leader"), VERDICT_HOLDS);

    trial = make_trial(80, 90);
    silence(&trial, 165, 25);
    add(trial);
    assert_int_equal(row_of(1, 4)[figure8_fault_seconds_at_zero].count, 1);
    assert_int_equal(row_of(1, 5)[figure8_fault_seconds_at_zero].count, 1);
    assert_int_equal(verdict_of("no second at zero, followers"), VERDICT_HOLDS);
    assert_int_equal(verdict_of("no second at zero, leader"), VERDICT_FAILS);
    assert_string_equal(judge("no second at zero, leader")[shape_reason].text,
                        "no second at zero, leader: 2 seconds of 2 valid trials without an "
                        "operation");
}

/* Bounds of five servers: 0.6 is left without two of them, 0.4 without three. */
TEST_BETWEEN(a_follower_costs_its_share, make, clear)
{
    add(make_trial(80, 90));
    add(make_trial(81, 90));
    add(make_trial(79, 90));
    const struct table_value *one = judge("while a follower is down");
    assert_string_equal(one[shape_verdict].text, "holds");
    assert_true(one[shape_ratio_low].real > 0.6 && one[shape_ratio_high].real < 1);
    assert_true(fabs(one[shape_paper_ratio].real - 0.8) < 1e-9);
    assert_true(fabs(judge("while two followers are down")[shape_paper_ratio].real - 0.6) < 1e-9);
    assert_int_equal(verdict_of("after a follower is back"), VERDICT_HOLDS);
    assert_int_equal(verdict_of("after the leader's loss"), VERDICT_HOLDS);
}

TEST_BETWEEN(what_costs_two_shares_fails, make, clear)
{
    add(make_trial(50, 100));
    add(make_trial(51, 100));
    assert_int_equal(verdict_of("while a follower is down"), VERDICT_FAILS);
    assert_int_equal(verdict_of("while two followers are down"), VERDICT_HOLDS);
}

/* The others say nothing of such a trial. */
TEST_BETWEEN(a_part_without_an_operation_leaves_the_ratio_open, make, clear)
{
    add(make_trial(80, 90));
    add(make_trial(81, 90));
    struct trial trial = make_trial(80, 90);
    silence(&trial, 40, 20); /* all the time in which the follower is down */
    add(trial);
    const struct table_value *down = judge("while a follower is down");
    assert_string_equal(down[shape_verdict].text, "undetermined");
    assert_string_equal(down[shape_reason].text, "no operation in such a part of a valid trial");
    assert_true(isnan(down[shape_ratio_low].real));
    assert_int_equal(verdict_of("while two followers are down"), VERDICT_HOLDS);
}

TEST_BETWEEN(trials_that_are_not_valid_judge_nothing, make, clear)
{
    struct trial trial = make_trial(0, 0);
    trial.valid = false;
    add(trial);
    sum_up();
    assert_int_equal(paper.judgements.rows, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(table_row(&paper.judgements, i)[shape_verdict].text, "undetermined");
    add(make_trial(80, 90));
    assert_int_equal(verdict_of("no second at zero, followers"), VERDICT_HOLDS);
    assert_int_equal(verdict_of("while a follower is down"), VERDICT_UNDETERMINED);
}

static double median_of(uint32_t event, size_t column)
{
    sum_up();
    return table_row(&paper.figures, event)[column].real;
}

TEST_BETWEEN(medians_are_of_valid_trials, make, clear)
{
    struct trial trial = make_trial(80, 50);
    trial.valid = false;
    add(trial);
    assert_true(fabs(median_of(1, figure8_event_before_per_s) - 500) < 1e-6);
    add(make_trial(80, 90));
    trial = make_trial(80, 70);
    trial.faults[4].led_ns = UINT64_MAX;
    trial.faults[5].served_ns = 7 * NS_PER_MS;
    add(trial);
    trial.valid = false;
    add(trial);
    assert_true(fabs(median_of(2, figure8_event_serves_ms) - 3.5) < 1e-6); /* of 0 and 7 */
    assert_true(fabs(median_of(1, figure8_event_before_per_s) - 800) < 1e-6);
    assert_true(isfinite(median_of(2, figure8_event_new_leader_ms)));
    for (uint32_t i = 0; i < 2; i++)
        figure.faults
            .values[((size_t)10 * i + 4) * figure.faults.type->count + figure8_fault_new_leader_ms]
            .kind = TABLE_UNKNOWN;
    assert_true(isnan(median_of(2, figure8_event_new_leader_ms)));
}
