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
static struct plan_sample sample;

/* Of 1,000 requests, 3 were over the limit. */
static void lay_out(const char *objective, enum driver driver)
{
    char why[200];
    struct error error;
    question = (struct plan_question){.unknown = PLAN_RATE, .locks = 1, .processes = 1};
    assert_true(objective_parse(objective, &question.objective, why, sizeof why));
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
        .probe = &probe, .recipe = &recipe_scalable, .result = &result, .cores = 2};
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

static int tear_down(void **state)
{
    (void)state;
    trial_memory_free(result.memory);
    free(histograms);
    return 0;
}

static void take(void)
{
    sample = plan_sample_take(&trial);
}

TEST_BETWEEN(a_trial_is_judged_by_its_load, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    take();
    assert_int_equal(sample.count.samples, 1000);
    assert_int_equal(sample.count.over, 3);
    assert_int_equal(sample.verdict, JUDGE_PASS);
    assert_true(sample.latency_us[PLAN_AT] == 8500 && sample.latency_us[PLAN_P50] == 1500);
    beside->over = 30;
    take();
    assert_int_equal(sample.verdict, JUDGE_FAIL);
    beside->over = 9;
    take();
    assert_int_equal(sample.verdict, JUDGE_UNDETERMINED);
}

/* Then it is only there. */
TEST_BETWEEN(an_objective_on_the_lock_is_not_judged_by_the_load, NULL, tear_down)
{
    lay_out("acquire p99 < 10ms", DRIVER_SIMULATED);
    for (int i = 0; i < 1000; i++)
        histogram_record(&result.latency[METER_ACQUIRE], NS_PER_MS);
    beside->over = 1000;
    take();
    assert_int_equal(sample.count.samples, 1000);
    assert_int_equal(sample.verdict, JUDGE_PASS);
    assert_true(sample.latency_us[PLAN_AT] < 1010);
}

/* Of 1,000 arrivals 30 take longer than the limit, by half of it. */
TEST_BETWEEN(arrivals_are_judged_by_the_limit, NULL, tear_down)
{
    lay_out("acquire p99 < 10ms", DRIVER_SIMULATED);
    for (int i = 0; i < 1000; i++)
        histogram_record(&result.latency[METER_ACQUIRE], (i < 30 ? 15 : 9) * NS_PER_MS);
    take();
    assert_int_equal(sample.count.over, 30);
    assert_int_equal(sample.verdict, JUDGE_FAIL);
}

TEST_BETWEEN(a_trial_beside_strangers_has_no_vote, NULL, tear_down)
{
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    snprintf(result.not_valid, sizeof result.not_valid, "a stranger was connected");
    take();
    assert_int_equal(sample.verdict, JUDGE_NOT_VALID);
    assert_string_equal(sample.reason, "a stranger was connected");
}

/* Whatever the objective: it would be met beside another load than was asked for. */
TEST_BETWEEN(a_load_that_was_not_sent_as_planned_has_no_vote, NULL, tear_down)
{
    static const char *const objectives[] = {"background p99 < 10ms", "handoff p99 < 10ms"};
    for (size_t i = 0; i < 2; i++) {
        lay_out(objectives[i], DRIVER_EVENTS);
        take();
        assert_null(strstr(sample.reason, "the load in the background"));
        beside->contended_sent_late = 11;
        take();
        assert_int_equal(sample.verdict, JUDGE_NOT_VALID);
        assert_non_null(strstr(sample.reason, "overloaded: of 1000 requests of the load in the "
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
    assert_int_equal(sample.verdict, JUDGE_NOT_VALID);
    assert_string_equal(sample.reason,
                        "the load in the background ended too early: session 3 expired");
    trial.result = NULL;
    take();
    assert_int_equal(sample.verdict, JUDGE_NOT_VALID);
    assert_string_equal(sample.reason,
                        "the load in the background ended too early: session 3 expired");
    assert_true(isnan(sample.latency_us[PLAN_AT]));
    assert_true(isnan(sample.handoff_p50_us) && isnan(sample.handoffs_per_s));
}

/* The clock of the day jumped by ten seconds. It is made again once, and then stands, not valid. */
TEST_BETWEEN(a_disturbed_trial_is_made_again_and_is_no_vote, NULL, tear_down)
{
    static const struct target_options target = {.driver = DRIVER_EVENTS};
    const struct targets targets = {0};
    const struct series_record record = {.files.run = "r", .target = "standalone", .servers = 1};
    struct noise_watch noise;
    struct table table = {.type = &plan_row_table};
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    noise_watch_init(&noise, &target, &targets);
    noise.retries = 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct table_value *row = table_add(&table);
        noise.before = noise_read(NULL);
        noise.before.ahead_s -= 10;
        take();
        assert_int_equal(sample.verdict, JUDGE_PASS);
        plan_row_begin(&record, &question, trial.recipe, row);
        plan_row_take(&trial, &sample, 1, row);
        plan_row_judge(&trial, &noise, &sample, row);
        assert_int_equal(noise.again, attempt == 0);
        assert_int_equal(sample.verdict, JUDGE_NOT_VALID);
        assert_false(plan_sample_is_vote(&sample));
        assert_non_null(strstr(sample.reason, "disturbed: "));
        assert_non_null(strstr(sample.reason, "the clock of the day jumped by 10.0 s"));
    }
    table_deinit(&table);
}

TEST_BETWEEN(without_a_load_its_columns_are_empty, NULL, tear_down)
{
    static const char *const rows[] = {",500,998,1500.0,8500.0,70000.0,499.00,0,0,", ",,,,,,,,"};
    const struct series_record record = {.files.run = "r", .target = "standalone", .servers = 1};
    lay_out("background p99 < 10ms", DRIVER_SIMULATED);
    for (size_t i = 0; i < 2; i++) {
        char text[2000] = "";
        struct csv csv = {.stream = fmemopen(text, sizeof text, "w")};
        struct table table = {.type = &plan_row_table};
        take();
        struct table_value *row = table_add(&table);
        plan_row_begin(&record, &question, trial.recipe, row);
        plan_row_take(&trial, &sample, 1, row);
        table_write_row(&plan_row_table, row, &csv);
        table_deinit(&table);
        fclose(csv.stream);
        assert_non_null(strstr(text, rows[i]));
        *beside = (struct background_figures){0};
        probe.load_per_s = 0;
    }
}
