// SPDX-License-Identifier: Apache-2.0
/* The same plans on an ensemble of three and in a simulation of three servers: under lockstep the
 * totals are equal, bytes included, and so is what the servers counted. */
#include "recipes/law.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

static const char *const recipes[] = {"nonscalable", "childwatch", "scalable", "walkback",
                                      "ticket",      "rwlock",     "barrier"};

static void assert_same_counts(const struct trial_result *real, const struct trial_result *sim)
{
    const struct trial_plan *plan = real->memory->plan;
    struct tally total = simulate_leave_out_pings(real, &real->total, &sim->total);
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (total.of[kind] != sim->total.of[kind])
            fail_msg("%s, %u clients: %llu of kind %d on the servers, %llu in the simulation",
                     plan->recipe->name, plan->fleet.sessions, (unsigned long long)total.of[kind],
                     kind, (unsigned long long)sim->total.of[kind]);
    }
    simulate_assert_same_servers(real, sim);
}

TEST(test_totals_are_the_same_on_three_servers)
{
    static const uint32_t clients[] = {1, 3, 8, 15};
    for (size_t r = 0; r < sizeof recipes / sizeof recipes[0]; r++) {
        for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
            struct trial_plan plan = live_plan(recipes[r], clients[i]), same;
            struct trial_result *real = live_trial(&plan);
            struct trial_result *sim = simulate_trial(&plan, &same);
            live_assert_good(real);
            live_assert_good(sim);
            assert_same_counts(real, sim);
            trial_result_free(real);
            trial_result_free(sim);
        }
    }
}

static void check_barriers(const struct trial_result *result, const struct trial_plan *plan)
{
    char why[100] = "";
    live_assert_good(result);
    assert_true(
        law_barriers_agree(&result->total, plan->fleet.sessions, plan->barriers, why, sizeof why));
    assert_string_equal(why, "");
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_int_equal(result->servers.notifications, result->total.of[TALLY_NOTIFICATION]);
}

/* In free pace chance decides who reads before whom, but not who creates and deletes what. */
TEST(test_several_barriers_obey_their_counts_on_three_servers)
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

FIXTURE(start)
{
    return live_start_with(3, 2000);
}

TEST_GROUP(start, live_stop)
