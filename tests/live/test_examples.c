// SPDX-License-Identifier: Apache-2.0
/* The recipes of docs/examples: on one server and on an ensemble of three, with each driver, every
 * count is that of the law, and of a simulation. */
#include "recipes/law.h"
#include "tests/support/live.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

extern const struct recipe recipe_kazoo, recipe_semaphore, recipe_syncqueue, recipe_twowatches;

static const struct recipe *const examples[] = {&recipe_kazoo, &recipe_semaphore, &recipe_syncqueue,
                                                &recipe_twowatches};
#define EXAMPLES (sizeof examples / sizeof examples[0])

static struct trial_plan plan_of(const struct recipe *recipe, uint32_t clients, enum driver driver)
{
    struct trial_plan plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    plan.fleet.processes = clients > 4 ? 2 : 1;
    return plan;
}

static void assert_as_simulated(const struct trial_plan *plan, const struct trial_result *real)
{
    static struct trial_plan same;
    struct trial_result *sim = simulate_trial(plan, &same);
    live_assert_good(sim);
    struct tally total = simulate_leave_out_pings(real, &real->total, &sim->total);
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (total.of[kind] != sim->total.of[kind])
            fail_msg("%s of %u: %s: %lu, simulated %lu", plan->recipe->name, plan->fleet.sessions,
                     tally_column((enum tally_kind)kind), (unsigned long)total.of[kind],
                     (unsigned long)sim->total.of[kind]);
    }
    trial_result_free(sim);
}

static void check(const struct trial_plan *given)
{
    struct trial_plan plan = *given;
    uint64_t handoffs = plan.handoffs > 0 ? plan.handoffs : plan.fleet.sessions;
    struct tally law = {0};
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    law_total(plan.recipe, plan.fleet.sessions, handoffs, &law);
    assert_int_equal(ledger_difference(&result->total, &law), TALLY_KINDS);
    assert_int_equal(result->handoffs, handoffs);
    if (result->reconciled != RECONCILED_YES)
        fail_msg("%s of %u: %s", plan.recipe->name, plan.fleet.sessions, result->not_reconciled);
    assert_int_equal(result->servers.ephemerals_leaked, 0);
    if (plan.fleet.driver == DRIVER_EVENTS)
        assert_as_simulated(&plan, result);
    trial_result_free(result);
}

static const uint32_t clients[] = {1, 2, 3, 4, 5, 9, 20};

TEST(test_drains_cost_their_law)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        for (size_t n = 0; n < sizeof clients / sizeof clients[0]; n++) {
            struct trial_plan plan = plan_of(examples[i], clients[n], DRIVER_EVENTS);
            check(&plan);
        }
        struct trial_plan plan = plan_of(examples[i], 7, DRIVER_THREADS);
        check(&plan);
    }
}

TEST(test_steady_trials_cost_their_law)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        for (uint32_t n = 1; n <= 9; n += 2) {
            struct trial_plan plan = plan_of(examples[i], n, DRIVER_EVENTS);
            plan.workload = WORKLOAD_STEADY;
            plan.handoffs = 3 * n + 2;
            check(&plan);
        }
    }
}

TEST(test_free_pace_reconciles)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct trial_plan plan = plan_of(examples[i], 20, DRIVER_EVENTS);
        plan.pace = PACE_FREE;
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        assert_int_equal(result->handoffs, 20);
        assert_int_equal(result->reconciled, RECONCILED_YES);
        trial_result_free(result);
    }
}

FIXTURE(start_three)
{
    return live_start_with(3, 2000);
}

TEST_GROUP(live_start, live_stop)
TEST_GROUP(start_three, live_stop)
