// SPDX-License-Identifier: Apache-2.0
/* Under lockstep every count equals its law: every recipe, those of docs/examples included, each
 * driver, one server and three, one process and several, one lock and several. Each of these trials
 * is run in a simulation, too: where servers and simulation differ in any count, the simulation is
 * wrong. */
#include "recipes/law.h"
#include "tests/support/simulate.h"
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

/* The next recipe that is not broken, with a law if it is to have one, from this index on; NULL
 * behind the last. */
static const struct recipe *next_recipe(size_t *index, bool with_law)
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
    } while (recipe != NULL && (recipe->broken || (with_law && !recipe_has_law(recipe))));
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

static void assert_same_tally(const struct trial_result *real, const struct tally *counted,
                              const struct tally *simulated)
{
    const struct trial_plan *plan = real->memory->plan;
    struct tally tally = simulate_leave_out_pings(real, counted, simulated);
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (tally.of[kind] != simulated->of[kind])
            fail_msg("%s, %u clients: %llu of kind %d on the servers, %llu in the simulation",
                     plan->recipe->name, plan->fleet.sessions, (unsigned long long)tally.of[kind],
                     kind, (unsigned long long)simulated->of[kind]);
    }
}

static void assert_same_rows(const struct trial_result *real, const struct trial_result *sim)
{
    for (uint32_t lock = 0; lock < real->memory->plan->locks; lock++) {
        size_t rows = trial_memory_rows_used(real->memory, lock);
        assert_int_equal(trial_memory_rows_used(sim->memory, lock), rows);
        for (size_t i = 0; i < rows; i++) {
            const struct ledger_row *row = ledger_row(&real->memory->ledger, lock, i),
                                    *other = ledger_row(&sim->memory->ledger, lock, i);
            assert_same_tally(real, &row->tally, &other->tally);
            assert_int_equal(row->waiters, other->waiters);
            assert_int_equal(row->granted, other->granted);
        }
    }
}

/* Runs the plan on the servers and in a simulation: the total is the law on both, and with one
 * server each row is the same. The servers' result is the caller's to free. */
static struct trial_result *check(struct trial_plan *plan, const struct tally *law)
{
    struct trial_plan same;
    struct trial_result *real = live_trial(plan), *sim = simulate_trial(plan, &same);
    live_assert_good(real);
    live_assert_good(sim);
    assert_int_equal(ledger_difference(&real->total, law), TALLY_KINDS);
    assert_same_tally(real, &real->total, &sim->total);
    if (live_servers.count == 1)
        assert_same_rows(real, sim);
    simulate_assert_same_servers(real, sim);
    trial_result_free(sim);
    return real;
}

static void check_drain(const struct recipe *recipe, uint32_t clients, uint32_t processes)
{
    struct trial_plan plan = plan_of(recipe, clients);
    struct tally law = law_of_drain(recipe, clients);
    plan.fleet.processes = processes;
    struct trial_result *result = check(&plan, &law);
    assert_int_equal(result->handoffs, clients);
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
    static const struct {
        uint32_t clients, processes;
    } cases[] = {{2, 1}, {10, 4}, {1, 1}, {3, 1}, {4, 1}, {7, 1}, {20, 1}};
    size_t count =
        driver == DRIVER_THREADS || live_servers.count > 1 ? 3 : sizeof cases / sizeof cases[0];
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_recipe(&r, true)) != NULL;) {
        for (size_t i = 0; i < count; i++)
            check_drain(recipe, cases[i].clients, cases[i].processes);
    }
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
    for (size_t r = 0; (recipe = next_recipe(&r, true)) != NULL;) {
        for (size_t i = 0; i < 2 && !recipe->barrier; i++) { /* which can be passed once */
            struct trial_plan plan = plan_of(recipe, cases[i].clients);
            struct tally law = {0};
            plan.workload = WORKLOAD_STEADY;
            plan.handoffs = cases[i].handoffs;
            law_total(recipe, cases[i].clients, cases[i].handoffs, &law);
            struct trial_result *result = check(&plan, &law);
            assert_int_equal(result->handoffs, cases[i].handoffs);
            trial_result_free(result);
        }
    }
}

TEST(test_several_locks_cost_the_sum)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_recipe(&r, true)) != NULL;) {
        struct trial_plan plan = plan_of(recipe, 11);
        if (recipe->every_lock)
            continue;   /* its clients do not stay at one lock */
        plan.locks = 3; /* of 4, 4 and 3 clients */
        plan.fleet.processes = 2;
        struct tally law = law_of_drain(recipe, 4), other = law_of_drain(recipe, 3);
        tally_sum(&law, &law);
        tally_sum(&law, &other);
        trial_result_free(check(&plan, &law));
    }
}

TEST(test_free_pace_excludes)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = next_recipe(&r, false)) != NULL;) {
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

FIXTURE(start_on_events)
{
    driver = DRIVER_EVENTS;
    return live_start(state);
}

FIXTURE(start_on_threads)
{
    driver = DRIVER_THREADS;
    return live_start(state);
}

FIXTURE(start_on_three)
{
    driver = DRIVER_EVENTS;
    return live_start_with(3, 2000);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
TEST_GROUP(start_on_three, live_stop)
