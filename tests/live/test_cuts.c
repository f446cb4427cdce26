// SPDX-License-Identifier: Apache-2.0
/* A proxy cuts connections in the middle of trials: that is no failure of a lock, and no trial
 * hangs at it. */
#include "tests/support/live.h"
#include "tests/support/proxy.h"
#include "tests/support/test.h"

#define TRIALS     2
#define CLIENTS    24
#define SESSION_MS 6000 /* who has lost its only server is back a sixtieth of that later */

static struct proxy proxy;
static unsigned cuts; /* in the trial under way */

/* Now and then one, while the lock is handed on. */
static void cut_one(void *context, const struct trial_progress *progress)
{
    (void)context;
    if (progress->handoffs < 2 || progress->handoffs > CLIENTS - 2)
        return;
    proxy_cut(&proxy, true);
    cuts++;
}

static struct trial_result *run(const struct recipe *recipe, enum driver driver, enum pace pace)
{
    static struct trial_plan plan; /* outlives its result */
    static const struct trial_watch watch = {.progress = cut_one};
    struct fleet_host host = live_host;
    plan = live_plan(recipe->name, CLIENTS);
    plan.recipe = recipe;
    plan.fleet.driver = driver;
    plan.pace = pace;
    plan.fleet.session_timeout_ms = SESSION_MS;
    plan.fleet.servers = host.servers = &proxy.servers;
    /* While the lock is held nothing is under way: longer than PROXY_IDLE_NS. */
    plan.hold.mean_ns = 60 * NS_PER_MS;
    host.ensemble = NULL;
    cuts = 0;
    return live_trial_on(&plan, &host, &watch);
}

/* Led to its end, or given up because a request was lost: no verdict fails, and nothing hangs. */
static void assert_no_verdict_fails(const struct trial_result *result)
{
    char text[256];
    if (result->violation_count > 0)
        fail_msg("%s", violation_describe(&result->memory->violations[0], text, sizeof text));
    if (result->end != END_DONE && result->end != END_LOST)
        fail_msg("%s", result->reason);
    assert_true(result->end == END_DONE || !result->has_law);
}

static void check_cuts(const struct recipe *recipe, enum driver driver)
{
    unsigned trials = 0;
    for (int i = 0; i < TRIALS || trials == 0; i++) {
        struct trial_result *result = run(recipe, driver, PACE_LOCKSTEP);
        assert_no_verdict_fails(result);
        assert_true(i < 8 * TRIALS);
        if (result->end == END_DONE && result->losses > 0) {
            trials++;
            assert_false(result->has_law);
            assert_non_null(strstr(result->not_valid, "sessions lost their connections"));
            assert_int_equal(result->handoffs, CLIENTS);
            assert_int_not_equal(result->reconcile.reconciled, RECONCILED_NO);
        }
        trial_result_free(result);
    }
}

/* Everybody watches a znode that is deleted and made again while one is apart: it is told that the
 * znode has changed. */
TEST(test_a_herd_goes_on)
{
    check_cuts(registry_find("nonscalable"), DRIVER_EVENTS);
    check_cuts(registry_find("nonscalable-get"), DRIVER_THREADS);
}

TEST(test_a_queue_goes_on)
{
    check_cuts(registry_find("scalable"), DRIVER_EVENTS);
    check_cuts(registry_find("childwatch"), DRIVER_EVENTS);
    check_cuts(registry_find("walkback"), DRIVER_EVENTS);
}

/* At the end of a drain it foretells what does not come. */
static void wrong_at_last(const struct law_view *view, struct tally *cost)
{
    registry_find("scalable")->law.release(view, cost);
    if (view->waiters == 1) {
        tally_add(cost, TALLY_NOTIFICATION, 1);
        tally_add(cost, TALLY_EXISTS, 1);
    }
}

/* Whatever comes behind the loss is held against no law. */
TEST(test_a_loss_ends_the_law)
{
    struct recipe recipe = *registry_find("scalable");
    recipe.law.release = wrong_at_last;
    check_cuts(&recipe, DRIVER_EVENTS);
}

TEST(test_free_pace_goes_on)
{
    for (int i = 0; i < TRIALS; i++) {
        struct trial_result *result = run(registry_find("nonscalable"), DRIVER_EVENTS, PACE_FREE);
        assert_no_verdict_fails(result);
        assert_int_not_equal(result->reconcile.reconciled, RECONCILED_NO);
        trial_result_free(result);
    }
}

FIXTURE(start)
{
    int failed = live_start_with(1, 1000);
    proxy = proxy_start(&live_servers.endpoints[0]);
    return failed;
}

static int stop(void **state)
{
    proxy_stop(&proxy);
    return live_stop(state);
}

TEST_GROUP(start, stop)
