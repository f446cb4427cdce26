// SPDX-License-Identifier: Apache-2.0
/* Recipes that are no plain locks: several hold together, all go on together, a release waits. What
 * is broken in them on purpose must be caught. */
#include "recipes/law.h"
#include "recipes/queue.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

/* The driver of the group of tests that is running. */
static enum driver driver;

static struct trial_result *run(const struct recipe *recipe, uint32_t clients, enum pace pace,
                                uint32_t processes)
{
    static struct trial_plan plan; /* outlives its result */
    plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    plan.pace = pace;
    plan.fleet.processes = processes;
    plan.fleet.timeout_ns = 2 * NS_PER_S;
    return live_trial(&plan);
}

static void assert_first(const struct trial_result *result, const char *sentence)
{
    char text[256];
    assert_string_equal(violation_describe(live_first_violation(result), text, sizeof text),
                        sentence);
}

static const struct ledger_row *row(const struct trial_result *result, uint64_t handoff)
{
    return ledger_row(&result->memory->ledger, 0, handoff);
}

/* ------------------------------------------------------------------ what each does */

/* Of nine, 0, 4 and 8 write: each of their releases lets in all up to the next of them. */
static void check_readers_are_released_together(const char *name)
{
    static const uint32_t granted[] = {1, 3, 0, 0, 1, 3, 0, 0, 1, 0};
    struct trial_result *result = run(registry_find(name), 9, PACE_LOCKSTEP, 3);
    live_assert_good(result);
    assert_int_equal(trial_memory_rows_used(result->memory, 0), 10);
    for (uint64_t handoff = 0; handoff < 10; handoff++) {
        assert_int_equal(row(result, handoff)->granted, granted[handoff]);
        assert_int_equal(row(result, handoff)->handoff_ns > 0, handoff > 0 && granted[handoff] > 0);
    }
    assert_int_equal(row(result, 1)->waiters, 8);
    assert_int_equal(row(result, 2)->waiters, 5);
    assert_int_equal(histogram_count(&result->latency[METER_HANDOFF]), 8);
    trial_result_free(result);
}

TEST(test_readers_are_released_together)
{
    check_readers_are_released_together("rwlock");
    check_readers_are_released_together("rwlock-curator");
}

TEST(test_readers_and_writers_exclude_in_free_pace)
{
    const char *const names[] = {"rwlock", "rwlock-curator"};
    for (size_t i = 0; i < 2; i++) {
        struct trial_plan plan = live_plan(names[i], 24);
        plan.fleet.driver = driver;
        plan.pace = PACE_FREE;
        plan.fleet.processes = 3;
        plan.workload = WORKLOAD_STEADY;
        plan.handoffs = 200;
        plan.hold = (struct hold){.mean_ns = NS_PER_MS / 2, .exponential = true};
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        assert_int_equal(result->handoffs, 200);
        assert_int_equal(result->inversions, 0);
        assert_int_equal(result->reconciled, RECONCILED_YES);
        trial_result_free(result);
    }
}

/* Each attempt is a read and a write, and no success is lost. */
TEST(test_a_counter_loses_nothing)
{
    struct trial_plan plan = live_plan("counter", 12);
    plan.fleet.driver = driver;
    plan.pace = PACE_FREE;
    plan.fleet.processes = 3;
    plan.locks = 2;
    plan.workload = WORKLOAD_STEADY;
    plan.handoffs = 100;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, 100);
    assert_true(result->total.of[TALLY_SET] >= 100);
    assert_int_equal(result->total.of[TALLY_SET], result->total.of[TALLY_GET]);
    trial_result_free(result);
}

/* Of n who attempt one succeeds, in the row that its predecessor's release has opened. */
TEST(test_a_counter_has_a_row_for_each_increment)
{
    struct trial_result *result = run(registry_find("counter"), 6, PACE_LOCKSTEP, 2);
    live_assert_good(result);
    assert_int_equal(row(result, 0)->tally.of[TALLY_GET], 6 + 5);
    for (uint64_t handoff = 0; handoff <= 6; handoff++) {
        assert_int_equal(row(result, handoff)->tally.of[TALLY_SET], 6 - handoff);
        assert_int_equal(row(result, handoff)->granted, handoff < 6);
    }
    trial_result_free(result);
}

/* All are granted in the row of the arrivals; the last who leaves ends the releases of all. */
TEST(test_a_barrier_is_entered_and_left_together)
{
    for (int pace = PACE_LOCKSTEP; pace <= PACE_FREE; pace++) {
        struct trial_result *result = run(registry_find("barrier"), 10, (enum pace)pace, 3);
        live_assert_good(result);
        assert_int_equal(result->handoffs, 10);
        if (pace == PACE_LOCKSTEP)
            assert_int_equal(row(result, 0)->granted, 10);
        assert_int_equal(trial_memory_rows_used(result->memory, 0), 11);
        assert_int_equal(histogram_count(&result->latency[METER_ACQUIRE]), 10);
        assert_int_equal(histogram_count(&result->latency[METER_RELEASE]), 10);
        assert_int_equal(histogram_count(&result->latency[METER_HANDOFF]), 0);
        trial_result_free(result);
    }
}

/* So many double barriers, and the counts that they cause whoever is before whom. */
static struct trial_result *run_barriers(const struct recipe *recipe, uint32_t clients,
                                         uint32_t barriers, uint32_t processes)
{
    static struct trial_plan plan; /* outlives its result */
    plan = live_plan("barrier", clients);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    plan.pace = PACE_FREE;
    plan.fleet.processes = processes;
    plan.barriers = barriers;
    return live_trial(&plan);
}

/* All are granted when all barriers are entered; row 0 has what they take. */
TEST(test_several_barriers_are_entered_and_then_left)
{
    char why[100] = "";
    for (uint32_t barriers = 1; barriers <= 7; barriers += 3) {
        struct trial_result *result = run_barriers(registry_find("barrier"), 9, barriers, 3);
        const struct tally *arrivals = &row(result, 0)->tally;
        live_assert_good(result);
        assert_int_equal(result->handoffs, 9);
        assert_int_equal(trial_memory_rows_used(result->memory, 0), 10);
        assert_true(law_barriers_agree(&result->total, 9, barriers, why, sizeof why));
        assert_string_equal(why, "");
        assert_int_equal(result->reconciled, RECONCILED_YES);
        assert_int_equal(result->servers.writes,
                         result->total.of[TALLY_CREATE] + result->total.of[TALLY_DELETE]);
        assert_true(arrivals->of[TALLY_CREATE] >= (9 + 1) * barriers);
        assert_int_equal(arrivals->of[TALLY_DELETE], 0);
        assert_int_equal(histogram_count(&result->latency[METER_ACQUIRE]), 9);
        assert_int_equal(histogram_count(&result->latency[METER_RELEASE]), 9);
        assert_true(result->client_ns > 0 && result->client_ns <= result->elapsed_ns);
        trial_result_free(result);
    }
}

/* ------------------------------------------------------------------ what is broken on purpose */

/* It overwrites what the others have written since it read. */
ACQUIRE(blind)
{
    BEGIN;
    contender_child(s, "counter", s->node);
    AWAIT(get_data(s, s->node, NO_WATCH));
    s->value = s->reply->value[0];
    AWAIT(set_data(s, s->node, s->value == '0' ? "1" : "0", 1, REQUEST_ANY_VERSION));
    GRANTED;
    END;
}

TEST(test_a_lost_increment_is_counted)
{
    struct recipe recipe = *registry_find("counter");
    recipe.acquire = blind_acquire;
    struct trial_result *result = run(&recipe, 8, PACE_FREE, 1);
    assert_int_equal(result->end, END_DONE);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_COUNTER);
    assert_int_equal(live_first_violation(result)->expected, 8);
    assert_true(live_first_violation(result)->found < 2);
    trial_result_free(result);
}

/* It waits at the first barrier, and runs through the others. */
ACQUIRE(impatient)
{
    return s->lock[strlen(s->lock) - 1] == '0' ? registry_find("barrier")->acquire(s) : STEP_DONE;
}

TEST(test_a_later_barrier_that_lets_in_early_is_caught)
{
    struct recipe recipe = *registry_find("barrier");
    recipe.acquire = impatient_acquire;
    struct trial_result *result = run_barriers(&recipe, 3, 2, 1);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_ENTERED_EARLY);
    trial_result_free(result);
}

/* It leaves the first one, and forgets its znode in the other. */
RELEASE(forgetful)
{
    return s->lock[strlen(s->lock) - 1] == '0' ? registry_find("barrier")->release(s) : STEP_DONE;
}

TEST(test_a_later_barrier_that_lets_out_early_is_caught)
{
    struct recipe recipe = *registry_find("barrier");
    recipe.release = forgetful_release;
    struct trial_result *result = run_barriers(&recipe, 3, 2, 1);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LEFT_EARLY);
    trial_result_free(result);
}

/* Alone, a client cannot be early; its znodes stay in the folders of all barriers but the first. */
TEST(test_what_is_left_in_any_barrier_is_counted)
{
    struct recipe recipe = *registry_find("barrier");
    recipe.release = forgetful_release;
    struct trial_result *result = run_barriers(&recipe, 1, 3, 1);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LEFTOVER);
    assert_int_equal(live_first_violation(result)->found, 2);
    trial_result_free(result);
}

/* It looks for ready without a watch, and waits for it in vain. */
ACQUIRE(deaf)
{
    BEGIN;
    contender_child(s, "p-0000000000", s->node);
    contender_child(s, "ready", s->watched);
    if (s->number + 1 == s->clients) {
        AWAIT(create(s, s->watched, PERSISTENT));
        GRANTED;
    }
    AWAIT(exists(s, s->watched, NO_WATCH));
    AWAIT_WATCH(EVENT_CREATED, s->watched);
    END;
}

static void one_look(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, view->granted > 0 ? TALLY_CREATE : TALLY_EXISTS, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->granted > 0 ? view->waiters : 0);
}

/* What it waits for is there: that is a lost wake-up as much as a deletion that nobody heard of. */
TEST(test_a_creation_that_nobody_heard_of_is_told)
{
    struct recipe recipe = *registry_find("barrier");
    recipe.acquire = deaf_acquire;
    recipe.law.arrival = one_look;
    struct trial_result *result = run(&recipe, 3, PACE_LOCKSTEP, 1);
    assert_int_equal(result->end, END_DEADLINE);
    assert_first(result, "lock 0, handoff 0: lost wake-up: 0 of 2 predicted notifications came");
    assert_int_equal(result->violation_count, 3);
    assert_int_equal(result->memory->violations[1].session, 1);
    trial_result_free(result);
}

static int start_on_events(void **state)
{
    driver = DRIVER_EVENTS;
    return live_start(state);
}

static int start_on_threads(void **state)
{
    driver = DRIVER_THREADS;
    return live_start(state);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
