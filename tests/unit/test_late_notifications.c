// SPDX-License-Identifier: Apache-2.0
/* Laws that foretell a notification in the wrong step, on simulated servers of which two are
 * behind: whenever it comes, it is told as what it is, and not as a wake-up that was lost. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"

#define SERVERS 3
#define CLIENTS 2
#define SEEDS   60

/* The holder is told of who arrives: that wakes nobody, and may come when all else is at rest. */
static void too_few(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.arrival(view, cost);
    if (view->held)
        cost->of[TALLY_NOTIFICATION] = cost->of[TALLY_NOTIFICATION_SPURIOUS] = 0;
}

/* It is foretold of the release that follows. */
static void too_many(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.release(view, cost);
    if (view->waiters > 0) {
        cost->of[TALLY_NOTIFICATION]++;
        cost->of[TALLY_NOTIFICATION_SPURIOUS]++;
    }
}

static struct trial_result *run(const struct recipe *recipe, uint64_t seed)
{
    static struct simulation simulation;
    static struct trial_plan plan; /* outlives its result */
    simulation_init(&simulation, SERVERS);
    simulation.options.costs.network_jitter_ns = 20 * NS_PER_MS;
    plan = simulation_plan(&simulation, recipe, CLIENTS);
    plan.hold.mean_ns = NS_PER_S; /* until then it has come */
    plan.fleet.seed = seed;
    return simulation_run(&simulation, &plan);
}

TEST(test_a_notification_in_the_wrong_step_is_no_lost_wake_up)
{
    struct recipe recipe = *registry_find("childwatch");
    recipe.law.arrival = too_few;
    recipe.law.release = too_many;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trial_result *result = run(&recipe, seed);
        const struct violation *first = &result->memory->violations[0];
        assert_int_equal(result->end, END_VIOLATION);
        assert_int_equal(first->kind, VIOLATION_LAW);
        assert_int_equal(first->tally, TALLY_NOTIFICATION);
        assert_int_equal(first->handoff, 0);
        assert_int_equal(first->found - first->expected, 1);
        trial_result_free(result);
    }
}
