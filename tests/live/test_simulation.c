// SPDX-License-Identifier: Apache-2.0
/* Where real servers and the simulation differ in any count, the simulation is wrong: the same
 * plans on both, row by row of the ledger with one server, and in total with three. */
#include "recipes/law.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

static void assert_same_tally(const struct trial_plan *plan, const struct trial_result *real,
                              const struct tally *counted, const struct tally *simulated)
{
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
    const struct trial_plan *plan = real->memory->plan;
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        size_t rows = trial_memory_rows_used(real->memory, lock);
        assert_int_equal(trial_memory_rows_used(sim->memory, lock), rows);
        for (size_t i = 0; i < rows; i++) {
            const struct ledger_row *row = ledger_row(&real->memory->ledger, lock, i),
                                    *other = ledger_row(&sim->memory->ledger, lock, i);
            assert_same_tally(plan, real, &row->tally, &other->tally);
            assert_int_equal(row->waiters, other->waiters);
            assert_int_equal(row->granted, other->granted);
        }
    }
}

static void assert_same(struct trial_plan *plan)
{
    /* In free pace no two trials are the same; nor are two that end at a mistake, or with a death.
     */
    if (!recipe_has_law(plan->recipe) || plan->recipe->broken ||
        plan->recipe->death.how != DEATH_NONE)
        return;
    struct trial_plan same;
    struct trial_result *real = live_trial(plan);
    struct trial_result *sim = simulate_trial(plan, &same);
    live_assert_good(real);
    live_assert_good(sim);
    assert_same_tally(plan, real, &real->total, &sim->total);
    if (live_servers.count == 1)
        assert_same_rows(real, sim);
    simulate_assert_same_servers(real, sim);
    trial_result_free(real);
    trial_result_free(sim);
}

TEST(test_drains_are_the_same)
{
    static const uint32_t clients[] = {1, 3, 8, 20, 2, 5};
    size_t count = live_servers.count == 1 ? sizeof clients / sizeof clients[0] : 3;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        for (size_t i = 0; i < count; i++) {
            struct trial_plan plan = live_plan(recipe->name, clients[i]);
            assert_same(&plan);
        }
    }
}

TEST(test_steady_is_the_same)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct trial_plan plan = live_plan(recipe->name, 5);
        if (recipe->barrier)
            continue; /* who is through a barrier does not come back */
        plan.workload = WORKLOAD_STEADY;
        plan.handoffs = 30;
        assert_same(&plan);
    }
}

TEST(test_several_locks_are_the_same)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct trial_plan plan = live_plan(recipe->name, 11);
        plan.locks = 3;
        assert_same(&plan);
    }
}

static void check_barriers(const struct trial_result *result, const struct trial_plan *plan)
{
    char why[100] = "";
    live_assert_good(result);
    assert_true(
        law_barriers_agree(&result->total, plan->fleet.sessions, plan->barriers, why, sizeof why));
    assert_string_equal(why, "");
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    assert_int_equal(result->servers.notifications, result->total.of[TALLY_NOTIFICATION]);
}

/* In free pace chance decides who reads before whom, but not who creates and deletes what. */
TEST(test_several_barriers_obey_their_counts)
{
    struct trial_plan plan = live_plan("barrier", 12), same;
    plan.pace = PACE_FREE;
    plan.barriers = 10;
    struct trial_result *real = live_trial(&plan);
    struct trial_result *sim = simulate_trial(&plan, &same);
    check_barriers(real, &plan);
    check_barriers(sim, &same);
    trial_result_free(real);
    trial_result_free(sim);
}

FIXTURE(start_three)
{
    return live_start_with(3, 2000);
}

TEST_GROUP(live_start, live_stop)
TEST_GROUP(start_three, live_stop)
