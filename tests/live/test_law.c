// SPDX-License-Identifier: Apache-2.0
/* Under lockstep every count equals its law: every recipe, those of docs/examples included, each
 * driver, one server and three, one process and several, one lock and several. */
#include "recipes/law.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

/* The driver of the group of tests that is running. */
static enum driver driver;

static struct trial_plan plan_of(const struct recipe *recipe, uint32_t clients)
{
    struct trial_plan plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    return plan;
}

extern const struct recipe recipe_kazoo, recipe_semaphore, recipe_syncqueue, recipe_twowatches;

/* The next recipe that is not broken, from this index on; NULL behind the last. */
static const struct recipe *next_recipe(size_t *index)
{
    static const struct recipe *const examples[] = {&recipe_kazoo, &recipe_semaphore,
                                                    &recipe_syncqueue, &recipe_twowatches, NULL};
    size_t registered = 0;
    while (registry_at(registered) != NULL)
        registered++;
    const struct recipe *recipe;
    do {
        size_t at = (*index)++;
        recipe = at < registered ? registry_at(at) : examples[at - registered];
    } while (recipe != NULL && recipe->broken);
    return recipe;
}

static const struct recipe *next_with_law(size_t *index)
{
    const struct recipe *recipe;
    do
        recipe = next_recipe(index);
    while (recipe != NULL && !recipe_has_law(recipe));
    return recipe;
}

/* That the sums of the laws are the closed forms is test_laws' to show. */
static struct tally law_of_drain(const struct recipe *recipe, uint64_t clients)
{
    struct tally law = {0};
    law_total(recipe, clients, clients, &law);
    return law;
}

/* What a recipe is known to leave behind: walkback asks with a watch for all but one of the znodes
 * that have gone before its own. */
static int64_t watches_left(const struct recipe *recipe, int64_t clients)
{
    return recipe == registry_find("walkback") ? (clients - 1) * (clients - 2) / 2 : 0;
}

static void check_drain(const struct recipe *recipe, uint32_t clients, uint32_t processes)
{
    struct trial_plan plan = plan_of(recipe, clients);
    plan.fleet.processes = processes;
    struct trial_result *result = live_trial(&plan);
    struct tally law = law_of_drain(recipe, clients);
    live_assert_good(result);
    assert_int_equal(result->handoffs, clients);
    assert_int_equal(ledger_difference(&result->total, &law), TALLY_KINDS);
    assert_int_equal(ledger_difference(&result->law, &law), TALLY_KINDS);
    if (result->reconcile.reconciled != RECONCILED_YES)
        fail_msg("%s of %u: %s", recipe->name, clients, result->reconcile.why);
    assert_int_equal(result->servers.watches, watches_left(recipe, clients));
    assert_int_equal(result->servers.ephemerals, 0);
    assert_int_equal(histogram_count(&result->latency[METER_RELEASE]), clients);
    trial_result_free(result);
}

/* Every number of clients, in a simulation, is test_schedules' to show. The drivers differ in how
 * they wait, not in what they send, and three servers in whom they ask: fewer numbers do there. */
TEST(test_drains_cost_their_law)
{
    static const uint32_t clients[] = {2, 7, 1, 3, 4, 20};
    size_t count =
        driver == DRIVER_THREADS || live_servers.count > 1 ? 2 : sizeof clients / sizeof clients[0];
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_with_law(&r)) != NULL;) {
        for (size_t i = 0; i < count; i++)
            check_drain(recipe, clients[i], 1);
    }
}

TEST(test_processes_cost_the_same)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_with_law(&r)) != NULL;)
        check_drain(recipe, 10, 4);
}

/* Also of a client alone: the lock is free at each arrival, and its folder may have gone with the
 * last release. */
TEST(test_steady_costs_its_law)
{
    static const struct {
        uint32_t clients;
        uint64_t handoffs;
    } cases[] = {{4, 25}, {1, 4}};
    const struct recipe *recipe;
    for (size_t r = 0; live_servers.count == 1 && (recipe = next_with_law(&r)) != NULL;) {
        for (size_t i = 0; i < 2 && !recipe->barrier; i++) { /* which can be passed once */
            struct trial_plan plan = plan_of(recipe, cases[i].clients);
            struct tally law = {0};
            plan.workload = WORKLOAD_STEADY;
            plan.handoffs = cases[i].handoffs;
            struct trial_result *result = live_trial(&plan);
            live_assert_good(result);
            law_total(recipe, cases[i].clients, cases[i].handoffs, &law);
            assert_int_equal(result->handoffs, cases[i].handoffs);
            assert_int_equal(ledger_difference(&result->total, &law), TALLY_KINDS);
            trial_result_free(result);
        }
    }
}

TEST(test_several_locks_cost_the_sum)
{
    if (live_servers.count > 1)
        return;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_with_law(&r)) != NULL;) {
        struct trial_plan plan = plan_of(recipe, 11);
        if (recipe->every_lock)
            continue;   /* its clients do not stay at one lock */
        plan.locks = 3; /* of 4, 4 and 3 clients */
        plan.fleet.processes = 2;
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        struct tally law = law_of_drain(recipe, 4), other = law_of_drain(recipe, 3);
        tally_sum(&law, &law);
        tally_sum(&law, &other);
        assert_int_equal(ledger_difference(&result->total, &law), TALLY_KINDS);
        trial_result_free(result);
    }
}

TEST(test_free_pace_excludes)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_recipe(&r)) != NULL;) {
        struct trial_plan plan = plan_of(recipe, 30);
        plan.pace = PACE_FREE;
        plan.fleet.processes = 3;
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        assert_int_equal(result->handoffs, 30);
        if (result->reconcile.reconciled != RECONCILED_YES)
            fail_msg("%s: %s", recipe->name, result->reconcile.why);
        assert_true(result->fairness_jain > 0.999);
        if (recipe->fifo)
            assert_int_equal(result->inversions, 0);
        trial_result_free(result);
    }
}

/* Waiters are told nothing, and look until they find: nothing but requests. */
TEST(test_polling_takes_no_watches)
{
    if (live_servers.count > 1)
        return;
    struct trial_plan plan = plan_of(registry_find("poll"), 4);
    plan.pace = PACE_FREE;
    plan.hold = (struct hold){.mean_ns = 15 * NS_PER_MS};
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, 4);
    assert_int_equal(result->total.of[TALLY_NOTIFICATION], 0);
    assert_int_equal(result->servers.watches, 0);
    assert_true(result->total.of[TALLY_EXISTS] >= 3);
    assert_int_equal(histogram_count(result->late), 4); /* holds, not pauses */
    assert_false(result->has_law);
    trial_result_free(result);
}

/* However late a process comes to the gate: nobody takes another client's turn. A hold has its
 * lateness, though it was over before anybody could wait for its end. */
TEST(test_every_client_is_granted)
{
    if (live_servers.count > 1)
        return;
    struct trial_plan plan = plan_of(registry_find("scalable"), 40);
    plan.pace = PACE_FREE;
    plan.fleet.processes = 40;
    plan.hold = (struct hold){.mean_ns = 1};
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(histogram_count(result->late), 40);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++)
        assert_int_equal(result->memory->sessions[i].acquisitions, 1);
    trial_result_free(result);
    plan.workload = WORKLOAD_STEADY;
    plan.handoffs = 45;
    result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, 45);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++)
        assert_true(result->memory->sessions[i].acquisitions >= 1);
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

static int start_on_three(void **state)
{
    (void)state;
    driver = DRIVER_EVENTS;
    return live_start_with(3, 2000);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
TEST_GROUP(start_on_three, live_stop)
