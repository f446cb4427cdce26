// SPDX-License-Identifier: Apache-2.0
/* The knee from the trials of a search that are made up, and the trials that are missing. */
#include "bench/plan/internal.h"

#include "tests/support/test.h"

#include <math.h>

static struct plan_options options;
static struct plan_question *const question = &options.question;
static struct plan_samples samples;

static int ask(void **state)
{
    char why[200];
    (void)state;
    options = (struct plan_options){
        .question = {.unknown = PLAN_LOCKS, .clients = 4, .locks = 1, .trial_samples = 100}};
    assert_true(objective_parse("handoff p90 < 50ms", &question->objective, why, sizeof why));
    plan_question_complete(question, UINT64_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(samples.list);
    samples = (struct plan_samples){0};
    return 0;
}

/* A trial of this size that has all its samples. */
static struct plan_sample *add(uint64_t size, bool longer, bool for_knee,
                               enum judge_verdict verdict)
{
    struct plan_sample sample = {
        .probe = {.size = size, .longer = longer},
        .for_knee = for_knee,
        .count = {longer ? 400 : 100, 0},
        .verdict = verdict,
        .is_explained = true,
        .figures = {.locks = (uint32_t)plan_question_locks(question, size),
                    .handoff_s = 0.01,
                    .handoffs = 1000,
                    .elapsed_s = 10,
                    .driver_cpu_s = 0.2,
                    .driver_cores = 1,
                    .cores = 8,
                    .span_s = 10,
                    .servers = 1,
                    .server_cpu_s = {1},
                    .server_cores = 1,
                    .fsync_s = {NAN}},
    };
    plan_samples_add(&samples, &sample);
    return &samples.list[samples.count - 1];
}

static void assert_missing(size_t short_trials, size_t long_trials)
{
    uint64_t most;
    const struct search_forecast missing = plan_knee_missing(question, &samples, &most);
    assert_int_equal(missing.short_trials, short_trials);
    assert_int_equal(missing.long_trials, long_trials);
}

/* The trials for the knee, all of which have this verdict. Returns how many there were. */
static size_t run_missing(enum judge_verdict verdict)
{
    size_t count = 0;
    struct plan_probe probe;
    for (; count < 99 && plan_knee_next(question, &samples, &probe); count++)
        add(probe.asked.size, probe.asked.longer, true, verdict);
    return count;
}

static size_t count_of(uint64_t size, bool longer)
{
    size_t count = 0;
    for (size_t i = 0; i < samples.count; i++)
        count += samples.list[i].for_knee && samples.list[i].probe.size == size &&
                 samples.list[i].probe.longer == longer;
    return count;
}

/* Two short trials at each size; of the largest, none is long. */
TEST_BETWEEN(what_the_search_has_not_run_is_run, ask, tear_down)
{
    for (uint64_t size = 1; size <= 8; size *= 2) {
        add(size, false, false, JUDGE_PASS);
        add(size, false, false, JUDGE_PASS);
    }
    assert_missing(5, 5);
    assert_int_equal(run_missing(JUDGE_FAIL), 10);
    assert_int_equal(count_of(1, false), 5);
    assert_int_equal(count_of(8, true), 5);
    assert_missing(0, 0);
}

/* Those of one lock do not: they are the first. */
TEST_BETWEEN(long_trials_of_the_search_need_not_be_run_again, ask, tear_down)
{
    for (int i = 0; i < 5; i++) {
        add(1, false, false, JUDGE_PASS);
        add(8, true, false, JUDGE_PASS);
    }
    assert_missing(5, 0);
    samples.list[1].is_explained = false;
    assert_missing(5, 1);
    samples.list[3].verdict = JUDGE_NOT_VALID;
    samples.list[5].count.samples--; /* ended because it failed */
    assert_missing(5, 3);
}

/* Nothing is run with as many locks as did harm, and nothing at all after a trial for the knee
 * did. */
TEST_BETWEEN(what_did_harm_is_not_run, ask, tear_down)
{
    add(4, false, false, JUDGE_PASS);
    add(8, false, false, JUDGE_BRAKED);
    add(16, false, false, JUDGE_FAIL);
    assert_missing(5, 5);
    struct plan_probe probe;
    for (int i = 0; i < 2; i++) {
        assert_true(plan_knee_next(question, &samples, &probe));
        add(probe.asked.size, probe.asked.longer, true, JUDGE_PASS);
    }
    assert_int_equal(count_of(1, false), 1);
    assert_int_equal(count_of(4, true), 1);
    add(4, true, true, JUDGE_BRAKED);
    assert_missing(0, 0);
}

TEST_BETWEEN(there_is_a_most_of_trials_for_the_knee, ask, tear_down)
{
    struct plan_probe probe;
    size_t count = 0;
    add(1, false, false, JUDGE_PASS);
    assert_missing(5, 0);
    for (; count < 99 && plan_knee_next(question, &samples, &probe); count++)
        add(probe.asked.size, probe.asked.longer, true,
            count % 2 == 0 ? JUDGE_NOT_VALID : JUDGE_PASS); /* every other one tells nothing */
    assert_int_equal(count, PLAN_KNEE_TRIALS_MOST);
    tear_down(NULL);
    add(8, false, false, JUDGE_PASS);
    assert_int_equal(run_missing(JUDGE_NOT_VALID), 2 * PLAN_KNEE_TRIALS);
}

/* One lock takes 10 ms and demands 1 ms; of 32 locks a handoff demands half of that. What is told
 * by the search's trials of one lock, by shorter trials, by fewer locks, or by trials that are not
 * valid or ended early does not enter. */
TEST_BETWEEN(the_knee_is_that_of_one_lock_and_of_the_most, ask, tear_down)
{
    add(16, true, false, JUDGE_PASS)->figures.handoffs = 9000;
    for (int i = 0; i < 5; i++) {
        add(1, false, true, JUDGE_PASS);
        add(1, false, false, JUDGE_PASS)->figures.handoff_s = 9;
        add(32, true, i > 0, JUDGE_FAIL)->figures.handoffs = 2000;
    }
    add(32, false, false, JUDGE_PASS)->figures.handoffs = 9000;
    add(32, true, true, JUDGE_NOT_VALID)->figures.handoffs = 9000;
    add(32, true, false, JUDGE_FAIL)->count.samples = 399;
    samples.list[samples.count - 1].figures.handoffs = 9000;
    struct plan_knee knee = plan_knee_find(&options, &samples, 16);
    assert_int_equal(knee.clients, 4);
    assert_true(fabs(knee.found.locks.value - 20) < 1e-9);
    assert_true(fabs(knee.found.locks.low - 20) < 1e-9);
    assert_int_equal(knee.found.demand_locks, 32);
    assert_false(knee.found.at_least);
    assert_int_equal(knee.state, PLAN_KNEE_KNOWN);
}

/* All trials are of one lock: those at the answer have its clients. */
TEST_BETWEEN(where_waiters_are_searched_for_the_knee_is_a_lower_bound, ask, tear_down)
{
    question->unknown = PLAN_WAITERS;
    for (int i = 0; i < 5; i++) {
        add(6, true, false, JUDGE_PASS);
        add(12, true, false, JUDGE_FAIL)->figures.handoff_s = 9;
    }
    struct plan_knee knee = plan_knee_find(&options, &samples, 6);
    assert_int_equal(knee.clients, 7);
    assert_true(fabs(knee.found.locks.value - 10) < 1e-9);
    assert_true(knee.found.at_least);
    assert_int_equal(knee.found.demand_locks, 1);
    assert_true(plan_knee_is_told(question));
    question->unknown = PLAN_SESSIONS;
    question->locks = 2;
    assert_false(plan_knee_is_told(question));
    assert_true(isnan(plan_knee_find(&options, &samples, 6).found.locks.value));
}

static void assert_state(enum plan_knee_state state)
{
    const struct plan_knee knee = plan_knee_find(&options, &samples, 6);
    assert_int_equal(knee.state, state);
    assert_int_equal(knee.state == PLAN_KNEE_KNOWN, !isnan(knee.found.locks.value));
}

/* Trials of a lone lock: none, one that is not valid, one that was braked, and one that is whole,
 * but not known to have taken any CPU time. */
TEST_BETWEEN(a_knee_that_is_not_known_has_a_reason, ask, tear_down)
{
    add(1, false, false, JUDGE_PASS);
    add(8, true, false, JUDGE_PASS);
    assert_state(PLAN_KNEE_NO_TRIAL);
    add(1, false, true, JUDGE_NOT_VALID);
    assert_state(PLAN_KNEE_NOT_VALID);
    add(1, false, true, JUDGE_BRAKED);
    assert_state(PLAN_KNEE_NOT_WHOLE);
    options.target.connect = true;
    assert_state(PLAN_KNEE_NO_CPU_TIME);
    options.target.connect = false;
    add(1, false, true, JUDGE_PASS);
    assert_state(PLAN_KNEE_KNOWN);
    for (size_t i = 0; i < samples.count; i++)
        samples.list[i].figures.server_cpu_s[0] = NAN;
    assert_state(PLAN_KNEE_NO_CPU_TIME);
    tear_down(NULL);
    question->unknown = PLAN_WAITERS; /* at the answer each trial failed before its samples */
    add(6, false, false, JUDGE_FAIL)->count.samples--;
    add(6, false, false, JUDGE_NOT_VALID);
    add(7, false, false, JUDGE_PASS);
    assert_state(PLAN_KNEE_NOT_WHOLE);
}

/* The CPU time of others' servers is not known, a simulation has none, and what servers do for a
 * load is in theirs. */
TEST_BETWEEN(trials_are_run_on_private_servers_alone, ask, tear_down)
{
    assert_true(plan_knee_has_trials(&options) && plan_knee_is_told(question));
    options.target.connect = true;
    assert_false(plan_knee_has_trials(&options));
    options.target = (struct target_options){.driver = DRIVER_SIMULATED};
    assert_false(plan_knee_has_trials(&options));
    options.target.driver = DRIVER_EVENTS;
    question->background.given = true;
    assert_false(plan_knee_has_trials(&options) || plan_knee_is_told(question));
    question->background.given = false;
    question->unknown = PLAN_WAITERS;
    assert_false(plan_knee_has_trials(&options));
}

TEST_BETWEEN(a_trial_for_the_knee_goes_on_when_it_fails, ask, tear_down)
{
    struct plan_probe probe;
    add(1, false, false, JUDGE_FAIL);
    assert_true(plan_knee_next(question, &samples, &probe));
    assert_int_equal(probe.samples, 100);
    assert_true(probe.fails_at > probe.samples);
    assert_int_equal(probe.longest_ns, plan_probe_of(question, &probe.asked).longest_ns);
}
