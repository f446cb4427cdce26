// SPDX-License-Identifier: Apache-2.0
/* What zkherd plan is asked, what counts of a trial, when it has measured enough, and what it is
 * judged by: ledgers and results are made by hand. */
#include "base/clock.h"
#include "bench/plan/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

#define WAITERS 3

/* When a trial begins: the clock of a machine does not begin at 0 with the trial. */
#define BEGAN_NS (1000 * NS_PER_S)

static struct plan_question question;
static struct plan_probe probe;
static struct trial_plan plan;
static struct trial_memory *memory;

static void lay_out(const char *objective, uint64_t samples, bool longer)
{
    struct error error;
    question = (struct plan_question){.trial_samples = samples, .processes = 1};
    assert_true(objective_parse(objective, &question.objective));
    plan_question_complete(&question, 100);
    const struct search_probe asked = {.size = WAITERS, .longer = longer};
    probe = plan_probe_of(&question, &asked);
    plan = plan_probe_trial(&probe, &recipe_scalable, DRIVER_EVENTS);
    assert_int_equal(trial_memory_new(&plan, &memory, &error), ERROR_NONE);
}

FIXTURE(forget_memory)
{
    trial_memory_free(memory);
    memory = NULL;
    return 0;
}

/* The next handoff, at a millisecond's distance from the one before. */
static void hand_over(uint32_t waiting, uint64_t handoff_ns)
{
    uint64_t handoff = atomic_fetch_add(&memory->locks[0].releases, 1) + 1;
    struct ledger_row *row = ledger_row(&memory->ledger, 0, handoff);
    row->released_ns = BEGAN_NS + handoff * NS_PER_MS;
    row->waiters = waiting;
    atomic_store(&row->handoff_ns, handoff_ns);
}

/* All clients have been granted once before the fourth release. */
static void come_to_steady_state(void)
{
    for (int i = 0; i < WAITERS; i++)
        hand_over(WAITERS, NS_PER_S);
}

TEST_BETWEEN(only_handoffs_that_all_others_wait_for_count, NULL, forget_memory)
{
    lay_out("handoff p50 < 5ms", 100, false);
    come_to_steady_state();
    hand_over(WAITERS, NS_PER_MS);
    hand_over(WAITERS - 1, 9 * NS_PER_MS);
    hand_over(WAITERS, 5 * NS_PER_MS);
    hand_over(WAITERS, 5 * NS_PER_MS - 1);
    hand_over(WAITERS, 0); /* nobody has been granted yet */
    struct histogram *latency = calloc(1, sizeof *latency);
    assert_non_null(latency);
    const struct plan_count count = plan_probe_count_handoffs(&question.objective, memory, latency);
    assert_int_equal(count.samples, 3);
    assert_int_equal(count.over, 1);
    assert_int_equal(histogram_count(latency), 3);
    assert_int_equal(latency->max_ns, 5 * NS_PER_MS);
    free(latency);
}

/* As soon as no other samples could make the trial pass or leave it undetermined, and not before.
 */
TEST_BETWEEN(a_trial_that_fails_in_any_case_ends, NULL, forget_memory)
{
    lay_out("handoff p90 < 5ms", 40, false);
    come_to_steady_state();
    uint64_t over = 0;
    while (!plan_probe_has_enough(&probe, memory, NULL, 0)) {
        assert_int_not_equal(judge_percentile(&question.objective, 40, over), JUDGE_FAIL);
        hand_over(WAITERS, 5 * NS_PER_MS);
        over++;
    }
    assert_int_equal(judge_percentile(&question.objective, 40, over), JUDGE_FAIL);
    assert_true(over < 10);
}

/* One sample less over the limit would leave the trial open, however many there are. */
TEST_BETWEEN(a_failure_is_certain_no_later_than_it_must_be, NULL, forget_memory)
{
    lay_out("handoff p90 < 5ms", 40, false);
    for (question.trial_samples = 20; question.trial_samples < 120; question.trial_samples++) {
        uint64_t samples = question.trial_samples,
                 fails_at = plan_probe_of(&question, &probe.asked).fails_at;
        assert_int_equal(judge_percentile(&question.objective, samples, fails_at), JUDGE_FAIL);
        assert_int_not_equal(judge_percentile(&question.objective, samples, fails_at - 1),
                             JUDGE_FAIL);
    }
}

/* Forty handoffs at the limit, and each client's first, take 44 times five milliseconds and hold.
 */
TEST_BETWEEN(a_trial_lasts_no_longer_than_its_samples_at_the_limit, NULL, forget_memory)
{
    lay_out("handoff p90 < 500ms", 40, false);
    assert_true(probe.longest_ns >= 44 * 500 * NS_PER_MS);
    assert_true(probe.longest_ns <= 46 * 500 * NS_PER_MS);
    assert_false(plan_probe_has_enough(&probe, memory, NULL, probe.longest_ns - 1));
    assert_true(plan_probe_has_enough(&probe, memory, NULL, probe.longest_ns));
}

/* Four clients wait at the same time. */
TEST_BETWEEN(acquires_at_the_limit_take_the_less_time_the_more_clients_wait, NULL, forget_memory)
{
    lay_out("acquire p90 < 500ms", 40, false);
    assert_true(probe.longest_ns >= 44 * 125 * NS_PER_MS);
    assert_true(probe.longest_ns <= 46 * 125 * NS_PER_MS);
}

/* ------------------------------------------------------------------ a load beside the lock */

static void lay_out_beside(uint64_t samples)
{
    lay_out("background p90 < 20ms", samples, false);
    trial_memory_free(memory);
    memory = NULL;
    question.background =
        (struct background_options){.given = true, .mix = mix_of_reads(80), .rate_per_s = 100};
    const struct search_probe asked = {.size = WAITERS};
    struct error error;
    probe = plan_probe_of(&question, &asked);
    plan = plan_probe_trial(&probe, &recipe_scalable, DRIVER_EVENTS);
    assert_int_equal(trial_memory_new(&plan, &memory, &error), ERROR_NONE);
}

/* Of a lock, the first grant of each client is not part of it. */
TEST_BETWEEN(a_load_counts_from_the_steady_state_on, NULL, forget_memory)
{
    lay_out_beside(40);
    for (int i = 0; i < WAITERS; i++)
        hand_over(WAITERS, NS_PER_MS);
    assert_false(plan_probe_is_steady(memory, PLAN_STEADY_NS - 1));
    assert_true(plan_probe_is_steady(memory, PLAN_STEADY_NS));
    hand_over(WAITERS, NS_PER_MS);
    assert_true(plan_probe_is_steady(memory, 0));
}

/* All that are outstanding at the end may be below the limit: the trial fails all the same. */
TEST_BETWEEN(a_trial_whose_load_fails_in_any_case_ends, NULL, forget_memory)
{
    struct plan_count beside = {39, 0};
    lay_out_beside(40);
    while (!plan_probe_has_enough(&probe, memory, &beside, 0)) {
        beside.over++;
        assert_true(beside.over <= beside.samples);
    }
    assert_true(beside.over > 10);
    assert_int_equal(
        judge_percentile(&question.objective, 39 + BACKGROUND_OUTSTANDING, beside.over),
        JUDGE_FAIL);
    assert_int_equal(
        judge_percentile(&question.objective, 40 + BACKGROUND_OUTSTANDING, beside.over - 1),
        JUDGE_UNDETERMINED);
}

/* Forty requests come due in 0.4 s, more or less. */
TEST_BETWEEN(the_time_of_a_load_is_bounded, NULL, forget_memory)
{
    lay_out_beside(40);
    assert_int_equal(probe.longest_ns,
                     PLAN_STEADY_NS + 2 * 400 * NS_PER_MS + question.objective.limit_ns);
    assert_int_equal(plan.handoffs, 0);
    assert_int_equal(plan.duration_ns, probe.longest_ns);
    const struct plan_count none = {0};
    assert_false(plan_probe_has_enough(&probe, memory, &none, probe.longest_ns - 1));
    assert_true(plan_probe_has_enough(&probe, memory, &none, probe.longest_ns));
}

/* At a high rate so few requests would be those of one moment. */
TEST_BETWEEN(requests_beside_the_lock_are_spread_over_a_time, NULL, forget_memory)
{
    lay_out_beside(40);
    question.trial_least_ns = NS_PER_S;
    struct search_probe asked = {.size = WAITERS};
    assert_int_equal(plan_probe_of(&question, &asked).samples, 100);
    asked.longer = true;
    assert_int_equal(plan_probe_of(&question, &asked).samples, 400);
    question.trial_samples = 101;
    assert_int_equal(plan_probe_of(&question, &asked).samples, 404);
    question.trial_samples = question.trial_least_ns = 0;
    question.trial_ns = 3 * NS_PER_S;
    assert_int_equal(plan_probe_of(&question, &asked).samples, 0);
    assert_int_equal(plan_probe_of(&question, &asked).longest_ns, 12 * NS_PER_S);
}

/* A release every millisecond, also those that fewer wait for, while all clients take part. */
TEST_BETWEEN(the_rate_is_that_of_the_steady_part, NULL, forget_memory)
{
    lay_out("handoff p99 < 50ms", 1000, true);
    assert_true(isnan(plan_probe_handoffs_per_s(memory)));
    come_to_steady_state();
    for (int i = 0; i <= 1000; i++)
        hand_over(i % 7 == 3 ? WAITERS - 1 : WAITERS, NS_PER_MS);
    for (int i = 0; i < 500; i++)
        hand_over(1, NS_PER_MS);
    assert_true(fabs(plan_probe_handoffs_per_s(memory) - 1000) < 1e-6);
}

/* ------------------------------------------------------------------ questions */

static struct target target;
static char text[400];

static void ask(const char *objective, enum plan_unknown unknown, uint64_t clients)
{
    question = (struct plan_question){.unknown = unknown, .clients = clients};
    assert_true(objective_parse(objective, &question.objective));
}

/* The sessions of the largest size are at most those that are allowed, and one more would not be.
 */
TEST(the_bounds_follow_from_the_sessions)
{
    for (int unknown = PLAN_WAITERS; unknown <= PLAN_LOCKS; unknown++) {
        ask("handoff p99 < 50ms", (enum plan_unknown)unknown, unknown == PLAN_LOCKS ? 3 : 0);
        plan_question_complete(&question, 100);
        assert_true(plan_question_sessions(&question, question.most) <= 100);
        assert_true(plan_question_sessions(&question, question.most + 1) > 100);
        assert_true(plan_question_sessions(&question, question.least) >=
                    2 * plan_question_locks(&question, question.least));
    }
    ask("handoff p99 < 50ms", PLAN_WAITERS, 0);
    question.least = 500; /* more than these sessions have: the range is that size alone */
    plan_question_complete(&question, 100);
    assert_int_equal(question.most, 500);
}

/* 1,049 samples of a p99 pass with five over; a p50 would need 18 only. */
TEST(a_trial_has_enough_samples_to_vote)
{
    static const struct {
        const char *objective;
        uint64_t given, samples, least_ns;
    } cases[] = {
        {"handoff p99 < 50ms", 0, 1049, 0},
        {"acquire p50 < 50ms", 0, PLAN_SAMPLES_LEAST, 0},
        {"background p99 < 50ms", 0, 1049, PLAN_TRIAL_LEAST_NS},
        {"background p99 < 50ms", 1000, 1000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].objective, PLAN_WAITERS, 0);
        question.trial_samples = cases[i].given;
        plan_question_complete(&question, 100);
        assert_int_equal(question.trial_samples, cases[i].samples);
        assert_int_equal(question.trial_ns, 0);
        assert_int_equal(question.trial_least_ns, cases[i].least_ns);
    }
}

TEST(servers_that_allow_fewer_sessions_lower_the_largest_size)
{
    static const struct {
        uint64_t sessions, most;
        const char *told;
    } cases[] = {{UINT64_MAX, 99, ""},
                 {101, 99, ""},
                 {58, 56, "no more than 56 waiters are tried: "},
                 {5, 10, "no more than 10 waiters are tried: "},
                 {0, 10, "no more than 10 waiters are tried: "}};
    target.servers.count = 1; /* a bystander's session */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask("handoff p99 < 50ms", PLAN_WAITERS, 0);
        question.least = 10;
        plan_question_complete(&question, 100);
        target.limit.sessions = cases[i].sessions;
        plan_question_fit(&question, &target, text, sizeof text);
        assert_int_equal(question.most, cases[i].most);
        assert_true(strncmp(text, cases[i].told, strlen(cases[i].told)) == 0);
        assert_int_equal(text[0] == '\0', cases[i].told[0] == '\0');
    }
}

/* ------------------------------------------------------------------ the time */

static struct plan_searches searches;
static struct plan_search list[2];

FIXTURE(begin_searches)
{
    question = (struct plan_question){.unknown = PLAN_WAITERS, .least = 1, .most = 100};
    const struct search_plan of_search = plan_question_search(&question);
    searches = (struct plan_searches){.list = list, .count = 2};
    for (size_t i = 0; i < 2; i++)
        search_init(&list[i].search, &of_search);
    return 0;
}

FIXTURE(end_searches)
{
    for (size_t i = 0; i < 2; i++)
        search_deinit(&list[i].search);
    return 0;
}

/* The trials of both searches, a long one as four. */
static size_t count_as_short(void)
{
    const struct search_forecast first = search_foresee(&list[0].search),
                                 second = search_foresee(&list[1].search);
    return first.short_trials + second.short_trials + 4 * (first.long_trials + second.long_trials);
}

/* Whichever kind has been made, what is left takes as long. */
TEST_BETWEEN(a_long_trial_takes_as_long_as_four, begin_searches, end_searches)
{
    static const bool kinds[] = {false, true, true, false};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t left_ns;
        plan_turn_learn(&searches, kinds[i], kinds[i] ? 8 * NS_PER_S : 2 * NS_PER_S);
        (void)plan_turn_foresee(&searches, &left_ns);
        assert_int_equal(left_ns, count_as_short() * 2 * NS_PER_S);
        search_report(&list[i % 2].search, JUDGE_PASS);
    }
}

/* ------------------------------------------------------------------ rows */

static struct histogram *histograms;
static struct trial_result result;
static struct plan_trial trial;
static struct background_figures *const beside = &trial.beside;
static struct noise_watch noise; /* measures nothing, unless a test says so */
static struct table rows = {.type = &plan_row_table};
static const struct table_value *row; /* of the trial that was judged last */
static enum judge_verdict verdict;

/* Of 1,000 requests, 3 were over the limit. */
static void lay_out_row(const char *objective, enum driver driver)
{
    struct error error;
    question = (struct plan_question){.unknown = PLAN_WAITERS, .processes = 1};
    assert_true(objective_parse(objective, &question.objective));
    plan_question_complete(&question, 100);
    probe = plan_probe_of(&question, &(struct search_probe){.size = 2});
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

FIXTURE(forget_result)
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

TEST_BETWEEN(a_trial_is_judged_by_its_load, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
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
TEST_BETWEEN(an_infinite_time_is_known_if_all_was_sent, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    beside->contended_at_us = INFINITY;
    take();
    assert_true(isinf(row[plan_row_measured_us].real));
    beside->unsent = 1;
    take();
    assert_true(isnan(row[plan_row_measured_us].real));
}

/* Of 1,000 arrivals 30 take longer than the limit, by half of it. */
TEST_BETWEEN(arrivals_are_judged_by_the_limit, NULL, forget_result)
{
    lay_out_row("acquire p99 < 10ms", DRIVER_SIMULATED);
    for (int i = 0; i < 1000; i++)
        histogram_record(&result.latency[METER_ACQUIRE], (i < 30 ? 15 : 9) * NS_PER_MS);
    take();
    assert_int_equal(row[plan_row_over].count, 30);
    assert_int_equal(verdict, JUDGE_FAIL);
}

TEST_BETWEEN(a_trial_beside_strangers_has_no_vote, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    snprintf(result.not_valid, sizeof result.not_valid, "a stranger was connected");
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_string_equal(row[plan_row_reason].text, "a stranger was connected");
}

TEST_BETWEEN(a_load_that_ended_too_early_has_no_vote, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
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
TEST_BETWEEN(a_disturbed_trial_is_made_again_and_is_no_vote, NULL, forget_result)
{
    static const struct target_options asked = {.driver = DRIVER_EVENTS};
    const struct targets targets = {0};
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    noise_watch_init(&noise, &asked, &targets);
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
TEST_BETWEEN(a_disturbed_trial_may_be_a_vote, NULL, forget_result)
{
    static const struct target_options asked = {.driver = DRIVER_EVENTS,
                                                .noise.mode = NOISE_REPORT};
    const struct targets targets = {0};
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    noise_watch_init(&noise, &asked, &targets);
    noise.votes = true;
    take_disturbed();
    assert_int_equal(verdict, JUDGE_PASS);
}

/* Whatever it has measured, and whether it has begun at all. */
TEST_BETWEEN(a_trial_that_the_guard_has_ended_is_braked, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    trial.braked = "a bystander suffered";
    for (int i = 0; i < 2; i++) {
        take();
        assert_int_equal(verdict, JUDGE_BRAKED);
        assert_string_equal(row[plan_row_reason].text, "a bystander suffered");
        trial.result = NULL;
    }
}

TEST_BETWEEN(a_broken_lock_fails, NULL, forget_result)
{
    lay_out_row("background p99 < 10ms", DRIVER_SIMULATED);
    result.violation_count = 1;
    take();
    assert_int_equal(verdict, JUDGE_NOT_VALID);
    assert_true(row[plan_row_trials.fails].flag);
}
