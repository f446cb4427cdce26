// SPDX-License-Identifier: Apache-2.0
/* How a trial is led, in simulations: what is progress, what is waited for at the end, and which
 * times come out. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"

static struct simulation simulation;

FIXTURE(set_up)
{
    simulation_init(&simulation, 3);
    return 0;
}

static struct trial_plan plan_of(const char *recipe, enum pace pace)
{
    struct trial_plan plan = simulation_plan(&simulation, registry_find(recipe), 6);
    plan.pace = pace;
    plan.fleet.session_timeout_ms = 30000;
    return plan;
}

/* ------------------------------------------------------------------ progress */

/* Who polls a lock that nobody gives up sends requests for ever. */
TEST_BETWEEN(test_in_free_pace_messages_alone_are_no_progress, set_up, NULL)
{
    struct trial_plan plan = plan_of("poll", PACE_FREE);
    plan.hold.mean_ns = 3 * plan.fleet.timeout_ns;
    struct trial_result *result = simulation_run(&simulation, &plan);
    assert_int_equal(result->end, END_DEADLINE);
    assert_int_equal(result->handoffs, 1);
    trial_result_free(result);
}

/* Who is woken asks for all whom it found in line, one after the other. */
TEST_BETWEEN(test_under_lockstep_messages_are_progress, set_up, NULL)
{
    struct trial_plan plan = plan_of("walkback", PACE_LOCKSTEP);
    plan.fleet.sessions = 20;
    simulation.options.costs.read_ns = plan.fleet.timeout_ns / 10;
    struct trial_result *result = simulation_run(&simulation, &plan);
    assert_int_equal(result->end, END_DONE);
    assert_int_equal(result->violation_count, 0);
    assert_true(result->latency[METER_HANDOFF].max_ns > plan.fleet.timeout_ns);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ the end */

ACQUIRE(lingering)
{
    return recipe_scalable.acquire(s);
}

/* Whoever is not the last leaves a watch on the line, which fires when the next one leaves. */
RELEASE(lingering)
{
    BEGIN;
    AWAIT(get_children(s, s->lock, NO_WATCH));
    s->value = (int64_t)s->reply->name_count;
    AWAIT(delete_znode(s, s->node));
    if (s->value > 1)
        AWAIT(get_children(s, s->lock, WATCH));
    RELEASED;
    END;
}

static const struct recipe recipe_lingering = {
    .name = "lingering", .fifo = true, .acquire = lingering_acquire, .release = lingering_release};

/* The last to leave has its reply before another, on a server that is behind, is told of it. */
TEST_BETWEEN(test_in_free_pace_the_last_notifications_are_received, set_up, NULL)
{
    struct trial_plan plan = plan_of("scalable", PACE_FREE);
    plan.recipe = &recipe_lingering;
    simulation.options.costs.network_ns = simulation.options.costs.network_jitter_ns = NS_PER_S;
    plan.fleet.timeout_ns = 100 * NS_PER_S;
    for (plan.fleet.seed = 1; plan.fleet.seed <= 20; plan.fleet.seed++) {
        struct trial_result *result = simulation_run(&simulation, &plan);
        assert_int_equal(result->violation_count, 0);
        assert_int_equal(result->reconciled, RECONCILED_YES);
        trial_result_free(result);
    }
}

/* ------------------------------------------------------------------ stalls */

/* However slow its servers are, a simulation has none that stands still. */
TEST_BETWEEN(test_a_simulation_has_no_stalls, set_up, NULL)
{
    for (enum pace pace = PACE_LOCKSTEP; pace <= PACE_FREE; pace++) {
        struct trial_plan plan = plan_of("childwatch", pace);
        simulation.options.costs.network_ns = 2 * NS_PER_S;
        plan.fleet.timeout_ns = 100 * NS_PER_S;
        struct trial_result *result = simulation_run(&simulation, &plan);
        assert_int_equal(result->end, END_DONE);
        assert_int_equal(result->stalls.count, 0);
        trial_result_free(result);
    }
}
