// SPDX-License-Identifier: Apache-2.0
/* What a trial with a load beside it is judged by: results are made by hand. */
#include "bench/plan/internal.h"

#include "base/clock.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static struct plan_question question;
static struct plan_probe probe;
static struct trial_plan plan;
static struct histogram *histograms;
static struct trial_result result;
static struct plan_trial trial;
static struct background_figures *const beside = &trial.beside;
static struct noise_watch noise; /* measures nothing, unless a test says so */
static struct table rows = {.type = &plan_row_table};
static const struct table_value *row; /* of the trial that was judged last */
static enum judge_verdict verdict;

/* Of 1,000 requests, 3 were over the limit. */
static void lay_out(const char *objective, enum driver driver)
{
    struct error error;
    question = (struct plan_question){.unknown = PLAN_RATE, .locks = 1, .processes = 1};
    assert_true(objective_parse(objective, &question.objective));
    plan_question_complete(&question, 100);
    probe = plan_probe_of(&question, &(struct search_probe){.size = 500});
    plan = plan_probe_trial(&probe, &recipe_scalable, driver);
    histograms = calloc(1 + METER_KINDS + ROLES * METER_KINDS, sizeof *histograms);
    assert_non_null(histograms);
    result = (struct trial_result){.end = END_DONE, .elapsed_ns = 10 * NS_PER_S};
    assert_int_equal(trial_memory_new(&plan, &result.memory, &error), ERROR_NONE);
    result.late = histograms;
    result.latency = histograms + 1;
    result.latency_of = (struct histogram(*)[METER_KINDS])(histograms + 1 + METER_KINDS);
    trial = (struct plan_trial){
        .probe = &probe, .recipe = &recipe_scalable, .result = &result, .step = 1, .cores = 2};
    *beside = (struct background_figures){.measured = true,
                                          .contended_at_us = 8500,
                                          .contended_p50_us = 1500,
                                          .contended_p99_us = 8500,
                                          .contended_max_us = 70000,
                                          .contended_per_s = 499,
                                          .requests = 998,
                                          .judged = 1000,
                                          .over = 3,
                                          .contended_sent = 1000};
}

FIXTURE(tear_down)
{
    trial_memory_free(result.memory);
    free(histograms);
    table_deinit(&rows);
    noise = (struct noise_watch){0};
    return 0;
}

static void take(void)
{
    const struct series_record record = {.files.run = "r", .target = "standalone", .servers = 1};
    struct table_value *added = table_add(&rows);
    verdict = plan_row_fill(&record, &noise, &trial, added);
    assert_int_equal(plan_row_judged(added), verdict);
    row = added;
}

TEST_BETWEEN(a_trial_is_judged_by_its_load, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    take();
    assert_int_equal(row[plan_row_samples].count, 1000);
    assert_int_equal(row[plan_row_over].count, 3);
    assert_int_equal(verdict, JUDGE_PASS);
    assert_true(row[plan_row_measured_us].real == 8500 && row[plan_row_p50_us].real == 1500);
    beside->over = 30;
    take();
    assert_int_equal(verdict, JUDGE_FAIL);
    beside->over = 9;
    take();
    assert_int_equal(verdict, JUDGE_UNDETERMINED);
}

/* Above a minute is a time; among what was never sent there is none. */
TEST_BETWEEN(an_infinite_time_is_known_if_all_was_sent, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    beside->contended_at_us = INFINITY;
    take();
    assert_true(isinf(row[plan_row_measured_us].real));
    beside->unsent = 1;
    take();
    assert_true(isnan(row[plan_row_measured_us].real));
}

/* Of 1,000 arrivals 30 take longer than the limit, by half of it. */
TEST_BETWEEN(arrivals_are_judged_by_the_limit, NULL, tear_down)
{
    lay_out("acquire p99 < 10ms", DRIVER_SIMULATED);
    for (int i = 0; i < 1000; i++)
        histogram_record(&result.latency[METER_ACQUIRE], (i < 30 ? 15 : 9) * NS_PER_MS);
    take();
    assert_int_equal(row[plan_row_over].count, 30);
    assert_int_equal(verdict, JUDGE_FAIL);
}

TEST_BETWEEN(a_trial_beside_strangers_has_no_vote, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    snprintf(result.not_valid, sizeof result.not_valid, "a stranger was connected");
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_string_equal(row[plan_row_reason].text, "a stranger was connected");
}

/* Whatever the objective: it would be met beside another load than was asked for. */
TEST_BETWEEN(a_load_that_was_not_sent_as_planned_has_no_vote, NULL, tear_down)
{
    static const char *const objectives[] = {"background p99 < 10ms", "handoff p99 < 10ms"};
    for (size_t i = 0; i < 2; i++) {
        lay_out(objectives[i], DRIVER_EVENTS);
        take();
        assert_null(strstr(row[plan_row_reason].text, "the load in the background"));
        beside->contended_sent_late = 11;
        take();
        assert_int_equal(verdict, JUDGE_NOT_VALID);
        assert_non_null(strstr(row[plan_row_reason].text,
                               "overloaded: of 1000 requests of the load in the "
                               "background, beside the lock, 11 were sent more"));
        if (i == 0)
            tear_down(NULL);
    }
}

TEST_BETWEEN(a_load_that_ended_too_early_has_no_vote, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    snprintf(beside->ended, sizeof beside->ended, "session 3 expired");
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_string_equal(row[plan_row_reason].text,
                        "the load in the background ended too early: session 3 expired");
    trial.result = NULL;
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_string_equal(row[plan_row_reason].text,
                        "the load in the background ended too early: session 3 expired");
    assert_true(isnan(table_number(&row[plan_row_measured_us])));
    assert_true(isnan(table_number(&row[plan_row_handoff_p50_us])));
    assert_true(isnan(table_number(&row[plan_row_handoffs_per_s])));
}

/* The clock of the day jumps by ten seconds. */
static void take_disturbed(void)
{
    noise.before = noise_read(NULL);
    noise.before.ahead_s -= 10;
    take();
    assert_true(row[plan_row_noise_disturbed].flag);
}

/* It is made again once, and then stands, not valid. */
TEST_BETWEEN(a_disturbed_trial_is_made_again_and_is_no_vote, NULL, tear_down)
{
    static const struct target_options target = {.driver = DRIVER_EVENTS};
    const struct targets targets = {0};
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    noise_watch_init(&noise, &target, &targets);
    noise.retries = 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        take_disturbed();
        assert_int_equal(noise.again, attempt == 0);
        assert_int_equal(verdict, JUDGE_NOT_VALID);
        assert_non_null(strstr(row[plan_row_reason].text, "disturbed: "));
        assert_non_null(strstr(row[plan_row_reason].text, "the clock of the day jumped by 10.0 s"));
    }
}

/* With --noise report. */
TEST_BETWEEN(a_disturbed_trial_may_be_a_vote, NULL, tear_down)
{
    static const struct target_options target = {.driver = DRIVER_EVENTS,
                                                 .noise.mode = NOISE_REPORT};
    const struct targets targets = {0};
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    noise_watch_init(&noise, &target, &targets);
    noise.votes = true;
    take_disturbed();
    assert_int_equal(verdict, JUDGE_PASS);
}

/* Whatever it has measured, and whether it has begun at all. */
TEST_BETWEEN(a_trial_that_the_guard_has_ended_is_braked, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    trial.braked = "a bystander suffered";
    for (int i = 0; i < 2; i++) {
        take();
        assert_int_equal(verdict, JUDGE_BRAKED);
        assert_string_equal(row[plan_row_reason].text, "a bystander suffered");
        trial.result = NULL;
    }
}

TEST_BETWEEN(a_broken_lock_fails, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    result.violation_count = 1;
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_true(row[plan_row_trials.fails].flag);
}
