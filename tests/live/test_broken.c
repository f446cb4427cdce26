// SPDX-License-Identifier: Apache-2.0
/* Recipes that are no plain locks, as several processes run them: several clients hold together,
 * all go on together; and whatever is broken on purpose, which the checker must catch. In a
 * simulation test_schedules catches more, and test_wrong_laws has the laws that are wrong by one.
 */
#include "recipes/law.h"
#include "recipes/queue.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

/* The driver of the group of tests that is running. */
static enum driver driver;

static struct trial_plan plan_of(const struct recipe *recipe, uint32_t clients, enum pace pace,
                                 uint32_t processes)
{
    struct trial_plan plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    plan.fleet.processes = processes;
    plan.pace = pace;
    return plan;
}

/* Each attempt at the counter is a read and a write, and no success is lost. */
TEST(test_what_is_no_plain_lock_is_held_as_it_should_be)
{
    static const char *const names[] = {"rwlock", "rwlock-curator", "counter"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct trial_plan plan = plan_of(registry_find(names[i]), 24, PACE_FREE, 3);
        bool counts = plan.recipe == registry_find("counter");
        plan.locks = counts ? 2 : 1;
        plan.workload = WORKLOAD_STEADY;
        plan.handoffs = 200;
        plan.hold = (struct hold){.mean_ns = counts ? 0 : NS_PER_MS / 2, .exponential = !counts};
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        assert_int_equal(result->handoffs, 200);
        assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
        assert_true(counts || result->inversions == 0);
        if (counts) {
            assert_true(result->total.of[TALLY_SET] >= 200);
            assert_int_equal(result->total.of[TALLY_SET], result->total.of[TALLY_GET]);
        }
        trial_result_free(result);
    }
}

/* All are granted when all barriers are entered; the row of the arrivals has what they take. */
TEST(test_several_barriers_are_entered_and_then_left)
{
    char why[100] = "";
    for (uint32_t barriers = 1; barriers <= 7; barriers += 3) {
        struct trial_plan plan = plan_of(registry_find("barrier"), 9, PACE_FREE, 3);
        plan.barriers = barriers;
        struct trial_result *result = live_trial(&plan);
        const struct tally *arrivals = &ledger_row(&result->memory->ledger, 0, 0)->tally;
        live_assert_good(result);
        assert_int_equal(result->handoffs, 9);
        assert_int_equal(trial_memory_rows_used(result->memory, 0), 10);
        assert_true(law_barriers_agree(&result->total, 9, barriers, why, sizeof why));
        assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
        assert_int_equal(result->servers.writes,
                         result->total.of[TALLY_CREATE] + result->total.of[TALLY_DELETE]);
        assert_true(arrivals->of[TALLY_CREATE] >= (9 + 1) * barriers);
        assert_int_equal(arrivals->of[TALLY_DELETE], 0);
        assert_int_equal(histogram_count(&result->latency[METER_ACQUIRE]), 9);
        assert_int_equal(histogram_count(&result->latency[METER_RELEASE]), 9);
        assert_int_equal(histogram_count(&result->latency[METER_HANDOFF]), 0);
        assert_true(result->client_ns > 0 && result->client_ns <= result->elapsed_ns);
        trial_result_free(result);
    }
}

/* ------------------------------------------------------------------ what is broken in them */

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

/* It waits at the first barrier, and runs through the others. */
ACQUIRE(impatient)
{
    return s->lock[strlen(s->lock) - 1] == '0' ? registry_find("barrier")->acquire(s) : STEP_DONE;
}

/* It leaves the first barrier, and forgets its znode in the others. */
RELEASE(forgetful)
{
    return s->lock[strlen(s->lock) - 1] == '0' ? registry_find("barrier")->release(s) : STEP_DONE;
}

RELEASE(keeping)
{
    (void)s;
    return STEP_DONE;
}

static void assert_caught(struct trial_plan *plan, enum violation_kind kind, uint64_t expected,
                          uint64_t found)
{
    struct trial_result *result = live_trial(plan);
    const struct violation *violation = live_first_violation(result);
    assert_int_equal(violation->kind, kind);
    if (kind == VIOLATION_COUNTER || kind == VIOLATION_LEFTOVER) {
        assert_int_equal(violation->expected, expected);
        assert_in_range(violation->found, kind == VIOLATION_LEFTOVER ? found : 0, found);
    }
    trial_result_free(result);
}

/* Alone, a client cannot be early; its znodes stay in the folders of all barriers but the first. A
 * ticket that stays is found in the znode that was laid out for it; that one is no leftover. */
TEST(test_what_is_broken_in_a_recipe_is_caught)
{
    const struct recipe *barrier = registry_find("barrier"), *counter = registry_find("counter"),
                        *ticket = registry_find("ticket");
    const struct {
        const struct recipe *recipe;
        enum recipe_step (*acquire)(struct contender *s), (*release)(struct contender *s);
        uint32_t clients, barriers;
        enum violation_kind kind;
        uint64_t expected, found; /* of the counter at most */
    } cases[] = {
        {barrier, impatient_acquire, barrier->release, 3, 2, VIOLATION_ENTERED_EARLY, 0, 0},
        {barrier, barrier->acquire, forgetful_release, 3, 2, VIOLATION_LEFT_EARLY, 0, 0},
        {barrier, barrier->acquire, forgetful_release, 1, 3, VIOLATION_LEFTOVER, 0, 2},
        {counter, blind_acquire, counter->release, 8, 0, VIOLATION_COUNTER, 8, 1},
        {ticket, ticket->acquire, keeping_release, 1, 0, VIOLATION_LEFTOVER, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct recipe recipe = *cases[i].recipe;
        struct trial_plan plan = plan_of(&recipe, cases[i].clients, PACE_FREE, 1);
        recipe.acquire = cases[i].acquire;
        recipe.release = cases[i].release;
        plan.barriers = cases[i].barriers;
        assert_caught(&plan, cases[i].kind, cases[i].expected, cases[i].found);
    }
}

/* The first holder holds until the second is granted, however long a busy machine takes, and be it
 * in another process: the trial ends then. What is not deleted is found behind a timeout. */
TEST(test_broken_locks_are_caught)
{
    static const struct {
        const char *recipe;
        enum pace pace;
        uint32_t processes;
        enum violation_kind kind;
        uint64_t hold_ns;
    } cases[] = {
        {"broken-nolock", PACE_FREE, 4, VIOLATION_TWO_HOLDERS, 20 * NS_PER_S},
        {"broken-norecheck", PACE_LOCKSTEP, 1, VIOLATION_TWO_HOLDERS, 20 * NS_PER_S},
        {"broken-wrongpred", PACE_LOCKSTEP, 1, VIOLATION_TWO_HOLDERS, 0},
        {"broken-leak", PACE_LOCKSTEP, 1, VIOLATION_UNDELETED, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct recipe *recipe = registry_find(cases[i].recipe);
        struct trial_plan plan = plan_of(recipe, 8, cases[i].pace, cases[i].processes);
        plan.hold.mean_ns = cases[i].hold_ns;
        plan.fleet.timeout_ns = 30 * NS_PER_S;
        if (cases[i].kind == VIOLATION_UNDELETED)
            plan.fleet.session_timeout_ms = 6000;
        assert_caught(&plan, cases[i].kind, 0, 0);
    }
}

FIXTURE(start_on_events)
{
    driver = DRIVER_EVENTS;
    return live_start_with(1, 500);
}

FIXTURE(start_on_threads)
{
    driver = DRIVER_THREADS;
    return live_start_with(1, 500);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
