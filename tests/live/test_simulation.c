// SPDX-License-Identifier: Apache-2.0
/* Where the real server and the simulation differ in any count, the simulation is wrong: the same
 * plans on both, row by row of the ledger. */
#include "tests/support/simulate.h"
#include "tests/support/test.h"

static void assert_same_rows(const struct trial_result *real, const struct trial_result *sim)
{
    for (uint32_t lock = 0; lock < real->memory->plan->locks; lock++) {
        size_t rows = trial_memory_rows_used(real->memory, lock);
        assert_int_equal(trial_memory_rows_used(sim->memory, lock), rows);
        for (size_t i = 0; i < rows; i++) {
            const struct ledger_row *row = ledger_row(&real->memory->ledger, lock, i);
            const struct ledger_row *other = ledger_row(&sim->memory->ledger, lock, i);
            struct tally counted = simulate_leave_out_pings(real, &row->tally, &other->tally);
            assert_int_equal(row->waiters, other->waiters);
            for (int kind = 0; kind < TALLY_KINDS; kind++) {
                if (counted.of[kind] != other->tally.of[kind])
                    fail_msg("%s, %u clients, handoff %zu: %llu of kind %d on the server, %llu in "
                             "the simulation",
                             real->memory->plan->recipe->name, real->memory->plan->fleet.sessions,
                             i, (unsigned long long)counted.of[kind], kind,
                             (unsigned long long)other->tally.of[kind]);
            }
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
    assert_same_rows(real, sim);
    simulate_assert_same_servers(real, sim);
    trial_result_free(real);
    trial_result_free(sim);
}

TEST(test_drains_are_the_same)
{
    static const uint32_t clients[] = {1, 2, 3, 5, 8, 20};
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
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

TEST_GROUP(live_start, live_stop)
