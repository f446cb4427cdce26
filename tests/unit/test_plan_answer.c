// SPDX-License-Identifier: Apache-2.0
/* The answers of searches on trials that are made up: figures, sentences, the table. */
#include "bench/plan/internal.h"

#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static struct plan_options options;
static struct plan_question *const question = &options.question;
static struct search search;
static struct plan_samples samples;
static struct plan_answer answer;
static char *text;

static void ask(const char *objective, uint64_t most)
{
    char why[200];
    *question = (struct plan_question){.locks = 1, .most = most, .resolution_percent = 10};
    assert_true(objective_parse(objective, &question->objective, why, sizeof why));
    plan_question_complete(question, 1000);
    struct search_plan plan = plan_question_search(question, 0);
    search_init(&search, &plan);
}

static void forget(void)
{
    search_deinit(&search);
    free(samples.list);
    samples = (struct plan_samples){0};
}

static int tear_down(void **state)
{
    (void)state;
    forget();
    free(text);
    text = NULL;
    return 0;
}

/* The trial that the search asks for; each waiter takes a millisecond. */
static void report(const struct search_probe *probe, enum judge_verdict verdict)
{
    struct plan_sample sample = {.probe = *probe,
                                 .count = {1000, 9},
                                 .verdict = verdict,
                                 .handoffs_per_s = 1e4 / (double)probe->size,
                                 .reason = ""};
    for (int i = 0; i < PLAN_FIGURES; i++)
        sample.latency_us[i] = (double)probe->size * 1e3 + (double)(search.step_count + 1);
    if (verdict == JUDGE_NOT_VALID)
        snprintf(sample.reason, sizeof sample.reason, "overloaded");
    if (verdict == JUDGE_BRAKED)
        snprintf(sample.reason, sizeof sample.reason, "a bystander suffered");
    search_report(&search, verdict);
    plan_samples_add(&samples, &sample);
}

static void take(void)
{
    answer = plan_answer_take(&options, &search, &recipe_scalable, &samples);
}

static const char *tell(void)
{
    free(text);
    text = plan_sentence_found(question, &answer);
    return text;
}

/* Runs the search to its end: larger sizes than the capacity have the other verdict. */
static const char *answered(uint64_t capacity, enum judge_verdict above, size_t trials_most)
{
    struct search_probe probe;
    for (size_t i = 0; i < trials_most && search_next(&search, &probe); i++)
        report(&probe, probe.size <= capacity ? JUDGE_PASS : above);
    take();
    return tell();
}

/* Sizes up to `capacity` pass, larger ones have the other verdict; with passes_above, the size that
 * is tried last, above the interval, passes. */
static void assert_told(const char *objective, uint64_t least, uint64_t most, uint64_t capacity,
                        enum judge_verdict above, bool passes_above, const char *sentence)
{
    struct search_probe probe;
    ask(objective, most);
    if (least > 0)
        question->least = least;
    const struct search_plan plan = plan_question_search(question, 0);
    forget();
    search_init(&search, &plan);
    while (search_next(&search, &probe)) {
        bool passes = probe.size <= capacity || (passes_above && probe.stage == SEARCH_ABOVE);
        report(&probe, passes ? JUDGE_PASS : above);
    }
    take();
    assert_string_equal(tell(), sentence);
    assert_int_equal(answer.trials, samples.count);
    forget();
}

TEST_BETWEEN(what_was_found_is_told, NULL, tear_down)
{
    static const char p99[] = "handoff p99 < 50ms";
    assert_told(p99, 0, 0, 40, JUDGE_FAIL, false,
                "scalable: 40 waiters meet handoff p99 < 50ms (5 of 5 fresh trials passed), with "
                "p99 = 40 ms; 44 do not (3 of 3 fresh trials failed).");
    assert_told(p99, 60, 0, 0, JUDGE_FAIL, false,
                "scalable: nothing meets handoff p99 < 50ms: the best is 60 waiters, with p99 = 60 "
                "ms; no fewer were tried.");
    assert_told("handoffs > 5/s", 0, 64, 64, JUDGE_FAIL, false,
                "scalable: 64 waiters meet handoffs > 5/s (5 of 5 fresh trials passed), at 156 "
                "handoffs a second; no more were tried: --at-most 64.");
    assert_told(p99, 0, 0, 0, JUDGE_NOT_VALID, false,
                "scalable: whether 1 waiter would is not decided: 4 of 4 trials were no vote; a "
                "trial was not valid: overloaded.");
    assert_told(p99, 0, 0, 8, JUDGE_FAIL, true,
                "scalable: 8 waiters meet handoff p99 < 50ms (5 of 5 fresh trials passed), with "
                "p99 = 8.02 ms; 9 do not (3 of 3 fresh trials failed), but 18 do: the answers are "
                "not monotone.");
    assert_told(p99, 0, 0, 0, JUDGE_FAIL, true,
                "scalable: 1 waiter does not meet handoff p99 < 50ms (3 of 3 fresh trials failed), "
                "but 2 do: the answers are not monotone.");
}

TEST_BETWEEN(too_few_samples_are_told, NULL, tear_down)
{
    assert_told("handoff p99 < 50ms", 0, 0, 0, JUDGE_UNDETERMINED, false,
                "scalable: whether 1 waiter would is not decided: 4 of 4 trials were no vote; too "
                "few samples: a trial had 1,000, and with as many over the limit 1,568 would show "
                "handoff p99 < 50ms.");
}

/* The trials that chose the size do not enter: of all its steps the fresh ones came last. */
TEST_BETWEEN(figures_are_those_of_the_fresh_trials, NULL, tear_down)
{
    double steps = 0;
    ask("handoff p99 < 50ms", 0);
    answered(40, JUDGE_FAIL, SIZE_MAX);
    assert_int_equal(answer.best, 40);
    for (size_t i = 0; i < samples.count; i++) {
        const struct plan_sample *sample = &samples.list[i];
        if (sample->probe.size == 40 && sample->probe.stage == SEARCH_CONFIRM)
            steps += (double)(i + 1) / 5;
    }
    assert_true(fabs(answer.measured_us - 40e3 - steps) < 1e-6);
    assert_true(fabs(answer.handoffs_per_s - 250) < 1e-6);
}

/* Of the fresh trials that failed at the smallest size that failed, what most of them say. */
TEST_BETWEEN(what_gave_out_is_that_of_most_failures, NULL, tear_down)
{
    uint32_t fresh = 0;
    ask("handoff p99 < 50ms", 0);
    answered(40, JUDGE_FAIL, SIZE_MAX);
    assert_null(answer.gave_out);
    for (size_t i = 0; i < samples.count; i++) {
        struct plan_sample *sample = &samples.list[i];
        bool is_fresh = sample->probe.stage == SEARCH_CONFIRM && sample->verdict == JUDGE_FAIL;
        sample->is_explained = true;
        sample->gave_out.limit = is_fresh && fresh++ > 0 ? UTILISATION_FAN_OUT : UTILISATION_DISK;
    }
    assert_int_equal(fresh, 3);
    take();
    assert_int_equal(answer.gave_out->limit, UTILISATION_FAN_OUT);
}

/* Trials for the knee are no trials of the search, whatever their size and verdict. */
TEST_BETWEEN(trials_for_the_knee_are_no_part_of_the_answer, NULL, tear_down)
{
    char before[1600];
    ask("handoff p99 < 50ms", 0);
    snprintf(before, sizeof before, "%s", answered(40, JUDGE_FAIL, SIZE_MAX));
    struct plan_sample sample = samples.list[0];
    size_t trials = answer.trials;
    sample.for_knee = true;
    sample.is_explained = true;
    sample.probe.stage = SEARCH_CONFIRM;
    for (int i = 0; i < PLAN_KNEE_TRIALS; i++) {
        sample.probe.size = 40;
        sample.verdict = JUDGE_FAIL;
        plan_samples_add(&samples, &sample);
        sample.probe.size = 44;
        plan_samples_add(&samples, &sample);
        sample.verdict = JUDGE_NOT_VALID;
        plan_samples_add(&samples, &sample);
    }
    assert_string_equal(answered(40, JUDGE_FAIL, 0), before);
    assert_int_equal(answer.trials, trials);
    assert_int_equal(answer.no_votes, 0);
    assert_null(answer.not_valid);
    assert_null(answer.gave_out);
}

/* Each waiter takes a millisecond, and nothing else takes time; trials that were ended early, which
 * are slower, do not count. */
TEST_BETWEEN(the_herd_is_that_of_whole_trials, NULL, tear_down)
{
    ask("handoff p99 < 50ms", 0);
    question->trial_samples = 1000;
    answered(40, JUDGE_FAIL, SIZE_MAX);
    for (size_t i = 0; i < samples.count; i++) {
        struct plan_sample *sample = &samples.list[i];
        bool is_whole = sample->verdict == JUDGE_PASS;
        sample->count.samples = sample->probe.longer ? 4000 : 1000;
        sample->count.samples -= !is_whole;
        sample->handoff_p50_us = 5e3 + 1e3 * (double)sample->probe.size * (is_whole ? 1 : 9);
    }
    take();
    assert_int_equal(answer.herd.state, HERD_KNOWN);
    assert_true(fabs(answer.herd.beta.value - 0.2) < 1e-6);
    question->unknown = PLAN_LOCKS;
    assert_false(plan_answer_has_herd(question));
    answered(40, JUDGE_FAIL, 0);
    assert_true(isnan(answer.herd.beta.value));
}

TEST_BETWEEN(a_rate_is_told_in_requests_a_second, NULL, tear_down)
{
    ask("background p99 < 50ms", 0);
    search_deinit(&search);
    question->unknown = PLAN_RATE;
    question->least = question->most = 0;
    plan_question_complete(question, 1000);
    struct search_plan plan = plan_question_search(question, 0);
    search_init(&search, &plan);
    const char *told = answered(4000, JUDGE_FAIL, SIZE_MAX);
    assert_non_null(strstr(told, " requests a second meet background p99 < 50ms (5 of 5 fresh "));
    assert_true(answer.found.passed <= 4000 && answer.found.failed > 4000);
    forget();
    search_init(&search, &plan);
    assert_string_equal(answered(0, JUDGE_FAIL, SIZE_MAX),
                        "scalable: nothing meets background p99 < 50ms: the best is 100 requests a "
                        "second, with p99 = 100 ms; no fewer were tried.");
    forget();
    search_init(&search, &plan);
    assert_non_null(strstr(answered(UINT64_MAX, JUDGE_FAIL, SIZE_MAX),
                           "no more were tried: without --at-most a search has at most 100,000 "
                           "requests a second."));
}

/* Of a model, in the unit of the size; 0 without one. */
TEST_BETWEEN(the_proposal_is_kept, NULL, tear_down)
{
    ask("handoff p99 < 50ms", 0);
    answered(40, JUDGE_FAIL, SIZE_MAX);
    assert_int_equal(answer.proposed, 0);
    forget();
    const struct search_plan plan = plan_question_search(question, 32);
    search_init(&search, &plan);
    answered(40, JUDGE_FAIL, SIZE_MAX);
    assert_int_equal(answer.proposed, 32);
    assert_int_equal(samples.list[0].probe.size, 32);
}

static void assert_ends(const char *words)
{
    tell();
    const char *end = strstr(text, "; no more were tried: ");
    assert_non_null(end);
    assert_string_equal(end + strlen("; no more were tried: "), words);
}

/* What has bounded the sizes need not be what was given. */
TEST_BETWEEN(the_limit_is_the_one_that_was_met, NULL, tear_down)
{
    ask("handoff p99 < 50ms", 0);
    answered(999, JUDGE_FAIL, SIZE_MAX);
    assert_ends("--max-clients allows no more sessions.");
    question->most = 0;
    plan_question_complete(question, UINT64_MAX);
    assert_int_equal(question->most, 1000);
    assert_ends("without --at-most a search has at most 1,001 sessions.");
    plan_question_fit(question, 1001);
    assert_ends("without --at-most a search has at most 1,001 sessions.");
    plan_question_fit(question, 55);
    assert_int_equal(question->most, 54);
    assert_ends("the servers accept no more connections from this host (maxClientCnxns).");
}

TEST_BETWEEN(a_brake_is_told, NULL, tear_down)
{
    ask("handoff p99 < 50ms", 0);
    answered(6, JUDGE_BRAKED, SIZE_MAX);
    assert_non_null(strstr(text, "scalable: 6 waiters meet handoff p99 < 50ms ("));
    assert_non_null(strstr(text, "; at 7 a trial was ended: a bystander suffered."));
}

TEST_BETWEEN(an_end_before_the_end_is_told, NULL, tear_down)
{
    ask("handoff p99 < 50ms", 0);
    answered(40, JUDGE_FAIL, 9);
    assert_string_equal(text, "scalable: 8 waiters meet handoff p99 < 50ms, with p99 = 8.01 ms; "
                              "the search ended early: it was out of trials after 9 trials.");
    assert_string_equal(plan_answer_reason(&answer), "out of trials");
    answer.cut = PLAN_CUT_BY_TIME;
    assert_string_equal(plan_answer_reason(&answer), "out of time");
    answer.cut = PLAN_CUT_SHORT;
    assert_string_equal(plan_answer_reason(&answer), "cut short");
    tear_down(NULL);
    ask("handoff p99 < 50ms", 0);
    assert_string_equal(answered(0, JUDGE_FAIL, 2),
                        "scalable: no size is known to meet the objective; 1 does not; the search "
                        "ended early: it was out of trials after 2 trials.");
}

TEST_BETWEEN(the_table_fits_a_terminal, NULL, tear_down)
{
    char *table = NULL;
    size_t size = 0;
    ask("handoff p99 < 50ms", 0);
    answered(40, JUDGE_FAIL, SIZE_MAX);
    const struct utilisation_finding found = {.limit = UTILISATION_FAN_OUT};
    struct plan_search told[] = {{.answer = answer}, {.answer = answer}};
    told[0].answer.target = "standalone";
    told[1].answer.target = "ensemble3";
    told[1].answer.gave_out = &found;
    FILE *stream = open_memstream(&table, &size);
    plan_table_write(question, told, 2, true, stream);
    fclose(stream);
    for (const char *line = table; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_non_null(strstr(table, "\nstandalone  scalable       40  5 of 5        44    40 ms"
                                  "       250  -\n"));
    assert_non_null(strstr(table, "\nensemble3   scalable       40  5 of 5        44    40 ms"
                                  "       250  fan-out\n"));
    free(table);
}
