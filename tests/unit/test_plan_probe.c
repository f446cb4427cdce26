// SPDX-License-Identifier: Apache-2.0
/* What counts of a trial, and when it has measured enough: a ledger is made by hand. */
#include "bench/plan/internal.h"

#include "base/clock.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

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
    question = (struct plan_question){.locks = 1, .trial_samples = samples, .processes = 1};
    assert_true(objective_parse(objective, &question.objective));
    plan_question_complete(&question, 100);
    const struct search_probe asked = {.size = WAITERS, .longer = longer};
    probe = plan_probe_of(&question, &asked);
    plan = plan_probe_trial(&probe, &recipe_scalable, DRIVER_EVENTS);
    assert_int_equal(trial_memory_new(&plan, &memory, &error), ERROR_NONE);
}

FIXTURE(tear_down)
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

TEST_BETWEEN(only_handoffs_that_all_others_wait_for_count, NULL, tear_down)
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

TEST_BETWEEN(a_trial_has_enough_when_it_has_its_samples, NULL, tear_down)
{
    lay_out("handoff p90 < 5ms", 40, false);
    come_to_steady_state();
    for (int i = 0; i < 39; i++)
        hand_over(WAITERS, NS_PER_MS);
    assert_false(plan_probe_has_enough(&probe, memory, NULL, 0));
    hand_over(WAITERS, NS_PER_MS);
    assert_true(plan_probe_has_enough(&probe, memory, NULL, 0));
}

TEST_BETWEEN(a_long_trial_has_four_times_the_samples, NULL, tear_down)
{
    lay_out("handoff p90 < 5ms", 40, true);
    assert_int_equal(probe.samples, 160);
    assert_true(plan.handoffs >= 160 + WAITERS + 1);
    assert_int_equal(plan.fleet.sessions, WAITERS + 1);
    assert_int_equal(plan.workload, WORKLOAD_STEADY);
    assert_int_equal(plan.pace, PACE_FREE);
}

/* As soon as no other samples could make the trial pass or leave it undetermined, and not before.
 */
TEST_BETWEEN(a_trial_that_fails_in_any_case_ends, NULL, tear_down)
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

/* Forty handoffs at the limit, and each client's first, take 44 times five milliseconds and hold.
 */
TEST_BETWEEN(a_trial_lasts_no_longer_than_its_samples_at_the_limit, NULL, tear_down)
{
    lay_out("handoff p90 < 500ms", 40, false);
    assert_true(probe.longest_ns >= 44 * 500 * NS_PER_MS);
    assert_true(probe.longest_ns <= 46 * 500 * NS_PER_MS);
    assert_false(plan_probe_has_enough(&probe, memory, NULL, probe.longest_ns - 1));
    assert_true(plan_probe_has_enough(&probe, memory, NULL, probe.longest_ns));
}

TEST_BETWEEN(acquires_are_counted_as_well, NULL, tear_down)
{
    lay_out("acquire p90 < 5ms", 40, false);
    struct histogram *acquires = &memory->workers[0].latency[0][METER_ACQUIRE];
    for (int i = 0; i < 39; i++)
        histogram_record(acquires, NS_PER_MS);
    assert_false(plan_probe_has_enough(&probe, memory, NULL, 0));
    histogram_record(acquires, 2 * HISTOGRAM_HIGHEST_NS);
    assert_true(plan_probe_has_enough(&probe, memory, NULL, 0));
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
TEST_BETWEEN(a_load_counts_from_the_steady_state_on, NULL, tear_down)
{
    lay_out_beside(40);
    for (int i = 0; i < WAITERS; i++)
        hand_over(WAITERS, NS_PER_MS);
    assert_false(plan_probe_is_steady(memory, PLAN_STEADY_NS - 1));
    assert_true(plan_probe_is_steady(memory, PLAN_STEADY_NS));
    hand_over(WAITERS, NS_PER_MS);
    assert_true(plan_probe_is_steady(memory, 0));
}

TEST_BETWEEN(requests_beside_the_lock_are_the_samples, NULL, tear_down)
{
    lay_out_beside(40);
    come_to_steady_state();
    for (int i = 0; i < 100; i++)
        hand_over(WAITERS, NS_PER_S);
    assert_false(plan_probe_has_enough(&probe, memory, &(struct plan_count){39, 0}, 0));
    assert_true(plan_probe_has_enough(&probe, memory, &(struct plan_count){40, 0}, 0));
}

/* All that are outstanding at the end may be below the limit: the trial fails all the same. */
TEST_BETWEEN(a_trial_whose_load_fails_in_any_case_ends, NULL, tear_down)
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
TEST_BETWEEN(the_time_of_a_load_is_bounded, NULL, tear_down)
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
TEST_BETWEEN(requests_beside_the_lock_are_spread_over_a_time, NULL, tear_down)
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
TEST_BETWEEN(rates_are_those_of_the_steady_part, NULL, tear_down)
{
    double per_s[PLAN_BATCHES];
    lay_out("handoffs > 500/s", 0, false);
    assert_int_equal(plan_probe_rates(memory, per_s), 0);
    come_to_steady_state();
    for (int i = 0; i <= 1000; i++)
        hand_over(i % 7 == 3 ? WAITERS - 1 : WAITERS, NS_PER_MS);
    for (int i = 0; i < 500; i++)
        hand_over(1, NS_PER_MS);
    assert_int_equal(plan_probe_rates(memory, per_s), PLAN_BATCHES);
    for (int i = 0; i < PLAN_BATCHES; i++)
        assert_true(per_s[i] > 985 && per_s[i] < 1015);
}
