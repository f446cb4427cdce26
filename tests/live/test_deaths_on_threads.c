// SPDX-License-Identifier: Apache-2.0
/* Trials on threads in which a session dies, few enough to run under ThreadSanitizer: while one
 * thread ends its session, another gives orders to all. */
#include "tests/support/live.h"
#include "tests/support/test.h"

#define SESSION_MS 4000

static void check_death(const char *recipe, enum death_how how, enum death_who who, uint64_t after)
{
    struct trial_plan plan = live_plan(recipe, 6);
    plan.fleet.driver = DRIVER_THREADS;
    plan.death = (struct death){how, who, after};
    plan.fleet.session_timeout_ms = how == DEATH_CRASH ? SESSION_MS : 60000;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_true(result->had_death);
    assert_int_equal(result->handoffs, who == DEATH_WAITER ? 5 : 6);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    trial_result_free(result);
}

TEST(test_exits)
{
    for (uint64_t after = 0; after < 4; after++) {
        check_death("scalable", DEATH_EXIT, DEATH_HOLDER, after);
        check_death("nonscalable", DEATH_EXIT, DEATH_WAITER, after);
    }
}

TEST(test_crashes)
{
    check_death("scalable", DEATH_CRASH, DEATH_HOLDER, 2);
    check_death("nonscalable", DEATH_CRASH, DEATH_WAITER, 1);
}

FIXTURE(start)
{
    return live_start_with(1, 500);
}

TEST_GROUP(start, live_stop)
