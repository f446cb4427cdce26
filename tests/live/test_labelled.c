// SPDX-License-Identifier: Apache-2.0
/*
 * Words of recipe.h that few recipes use, in a lock of this file's own, with each driver.
 *
 * Its folder says who holds: the non-scalable lock, whose holder writes into the folder znode,
 * tries to do so again with a version that is gone, and releases in one transaction.
 */
#include "tests/support/live.h"
#include "tests/support/test.h"

ACQUIRE(labelled)
{
    BEGIN;
    contender_child(s, "f", s->node);
    for (;;) {
        AWAIT(create(s, s->node, EPHEMERAL));
        if (s->status == ZK_OK)
            break;
        AWAIT(get_data(s, s->node, WATCH));
        if (s->status == ZK_OK)
            AWAIT_WATCH(EVENT_DELETED, s->node);
    }
    AWAIT(get_data(s, s->lock, NO_WATCH));
    s->sequence = s->reply->version;
    if (s->reply->value_length != 0)
        FAILED;
    AWAIT(set_data(s, s->lock, "held", 4, s->sequence));
    if (s->status != ZK_OK || s->reply->version != s->sequence + 1)
        FAILED;
    AWAIT(set_data(s, s->lock, "late", 4, s->sequence));
    if (s->status == ZK_BAD_VERSION)
        GRANTED;
    END;
}

static enum recipe_step labelled_release(struct contender *s)
{
    BEGIN;
    AWAIT(multi(s, request_set(s->lock, NULL, 0, s->sequence + 1), request_delete(s->node)));
    if (s->status == ZK_OK)
        RELEASED;
    END;
}

static void grant(struct tally *cost)
{
    tally_add(cost, TALLY_GET, 1);
    tally_add(cost, TALLY_SET, 2);
}

static void arrival(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, 1);
    if (view->held) {
        tally_add(cost, TALLY_CREATE_FAILED, 1);
        tally_add(cost, TALLY_GET, 1);
    } else {
        grant(cost);
    }
}

static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_MULTI, 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters);
    tally_add(cost, TALLY_CREATE, view->waiters);
    if (view->waiters == 0)
        return;
    tally_add(cost, TALLY_CREATE_FAILED, view->waiters - 1);
    tally_add(cost, TALLY_GET, view->waiters - 1);
    grant(cost);
}

static const struct recipe labelled = {
    .name = "labelled",
    .acquire = labelled_acquire,
    .release = labelled_release,
    .law = {arrival, release, "", ""},
};

static void check_drain(enum driver driver)
{
    struct trial_plan plan = live_plan("nonscalable", 6);
    plan.recipe = &labelled;
    plan.fleet.driver = driver;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->total.of[TALLY_SET], 12);
    assert_int_equal(result->total.of[TALLY_MULTI], 6);
    assert_int_equal(result->total.of[TALLY_DELETE], 0);
    assert_int_equal(result->total.of[TALLY_NOTIFICATION], 15);
    assert_int_equal(histogram_count(&result->latency[METER_SET]), 12);
    assert_int_equal(histogram_count(&result->latency[METER_MULTI]), 6);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    trial_result_free(result);
}

TEST(test_a_recipe_sets_and_multis)
{
    check_drain(DRIVER_EVENTS);
    check_drain(DRIVER_THREADS);
}

TEST_GROUP(live_start, live_stop)
