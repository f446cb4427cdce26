// SPDX-License-Identifier: Apache-2.0
/* Locks that are broken on purpose: the checker must catch each of them, and say what is wrong. */
#include "recipes/queue.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

static void law_of_nothing(const struct law_view *view, struct tally *cost)
{
    (void)view;
    (void)cost;
}

static void law_of_one_create(const struct law_view *view, struct tally *cost)
{
    (void)view;
    tally_add(cost, TALLY_CREATE, 1);
}

/* Grants at once: nothing is asked of the server. */
ACQUIRE(nolock)
{
    (void)s;
    return STEP_DONE;
}

static const struct recipe nolock = {
    .name = "nolock",
    .acquire = nolock_acquire,
    .release = nolock_acquire,
    .law = {law_of_nothing, law_of_nothing, "0", "0"},
};

/* Looks without a watch, and then waits for what nobody will tell it. */
ACQUIRE(nowatch)
{
    BEGIN;
    contender_child(s, "f", s->node);
    for (;;) {
        AWAIT(create(s, s->node, EPHEMERAL));
        if (s->status == ZK_OK)
            GRANTED;
        AWAIT(exists(s, s->node, NO_WATCH));
        AWAIT_WATCH(EVENT_DELETED, s->node);
    }
    END;
}

static const struct recipe nowatch = {
    .name = "nowatch",
    .acquire = nowatch_acquire,
    .release = contender_delete_own,
};

/* Its znode stays. */
ACQUIRE(leaving)
{
    BEGIN;
    contender_child(s, QUEUE_PREFIX, s->node);
    AWAIT(create(s, s->node, EPHEMERAL_SEQUENTIAL));
    if (queue_take_place(s))
        GRANTED;
    END;
}

static const struct recipe leaving = {
    .name = "leaving",
    .acquire = leaving_acquire,
    .release = nolock_acquire,
    .law = {law_of_one_create, law_of_nothing, "n", "0"},
};

/* Who waits in vain is waited for briefly, but longer than a busy machine stands still. */
static struct trial_result *run(const struct recipe *recipe, uint32_t clients, enum pace pace)
{
    static struct trial_plan plan; /* outlives its result */
    plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.pace = pace;
    if (recipe->acquire == nowatch_acquire)
        plan.fleet.timeout_ns = 2 * NS_PER_S;
    return live_trial(&plan);
}

TEST(test_two_holders_are_caught_across_processes)
{
    struct trial_plan plan = live_plan("scalable", 8);
    plan.recipe = &nolock;
    plan.pace = PACE_FREE;
    plan.fleet.processes = 4;
    plan.hold.mean_ns = 20 * NS_PER_MS;
    struct trial_result *result = live_trial(&plan);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_TWO_HOLDERS);
    trial_result_free(result);
}

TEST(test_a_lost_wake_up_is_named_in_free_pace)
{
    struct trial_result *result = run(&nowatch, 3, PACE_FREE);
    assert_int_equal(result->end, END_DEADLINE);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LOST_WAKEUP);
    assert_true(live_first_violation(result)->session > 0);
    assert_non_null(strstr(result->reason, " for the deletion of " ROOT));
    trial_result_free(result);
}

TEST(test_leftovers_are_counted)
{
    struct trial_result *result = run(&leaving, 1, PACE_LOCKSTEP);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LEFTOVER);
    assert_int_equal(live_first_violation(result)->found, 1);
    trial_result_free(result);
}

static void too_much(const struct law_view *view, struct tally *cost)
{
    registry_find("scalable")->law.release(view, cost);
    if (view->waiters == 2)
        tally_add(cost, TALLY_EXISTS, 1);
}

TEST(test_a_count_that_is_off_by_one_is_told)
{
    struct recipe recipe = *registry_find("scalable");
    char text[256];
    recipe.law.release = too_much;
    struct trial_result *result = run(&recipe, 5, PACE_LOCKSTEP);
    assert_int_equal(result->end, END_VIOLATION);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LAW);
    assert_string_equal(violation_describe(live_first_violation(result), text, sizeof text),
                        "lock 0, handoff 3: exists: the law says 1, found 0");
    trial_result_free(result);
}

/* Of the queue's law: a notification more, or fewer, at the release that two wait for. */
static int64_t error;

static void miscounted(const struct law_view *view, struct tally *cost)
{
    registry_find("scalable")->law.release(view, cost);
    if (view->waiters == 2)
        cost->of[TALLY_NOTIFICATION] += (uint64_t)error;
}

/* What the first step that breaks the law is told for. */
static void find_violation(const struct recipe *recipe, char text[256])
{
    struct trial_result *result = run(recipe, 5, PACE_LOCKSTEP);
    assert_int_equal(result->end, END_VIOLATION); /* and no deadline */
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LAW);
    violation_describe(live_first_violation(result), text, 256);
    trial_result_free(result);
}

/* Nothing makes the step wait for the notification: if the notification is late, the request that
 * would follow is what is missing. */
TEST(test_a_notification_that_no_law_foretells_is_told)
{
    struct recipe recipe = *registry_find("scalable");
    char text[256];
    recipe.law.release = miscounted;
    error = -1;
    find_violation(&recipe, text);
    if (strcmp(text, "lock 0, handoff 3: get_children: the law says 1, found 0") != 0)
        assert_string_equal(text, "lock 0, handoff 3: notifications: the law says 0, found 1");
}

/* The lock is handed on as it should be, and nobody waits for what has happened. */
TEST(test_a_foretold_notification_that_nobody_sends_is_told)
{
    struct recipe recipe = *registry_find("scalable");
    char text[256];
    recipe.law.release = miscounted;
    error = 1;
    find_violation(&recipe, text);
    assert_string_equal(text, "lock 0, handoff 3: notifications: the law says 2, found 1");
}

static void too_early(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.arrival(view, cost);
    if (view->waiters == 3)
        cost->of[TALLY_NOTIFICATION]--;
}

static void too_late(const struct law_view *view, struct tally *cost)
{
    registry_find("childwatch")->law.release(view, cost);
    if (view->waiters == 4)
        cost->of[TALLY_NOTIFICATION]++;
}

/* The row that it came in may be the one before, when it is found. */
TEST(test_a_notification_in_the_wrong_step_is_told)
{
    struct recipe recipe = *registry_find("childwatch");
    char text[256];
    recipe.law.arrival = too_early;
    recipe.law.release = too_late;
    find_violation(&recipe, text);
    assert_string_equal(text, "lock 0, handoff 0: notifications: the law says 6, found 7");
}

TEST(test_grants_out_of_turn_are_told)
{
    struct recipe recipe = *registry_find("nonscalable");
    /* It promises what it cannot keep: all have the sequence number 0. */
    recipe.fifo = true;
    struct trial_result *result = run(&recipe, 3, PACE_LOCKSTEP);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_ORDER);
    trial_result_free(result);
}

/* Its holder stands in its own way. */
TEST(test_a_lock_that_is_not_reentrant_is_told)
{
    struct recipe recipe = *registry_find("scalable");
    char text[256];
    recipe.nesting = 2;
    struct trial_result *result = run(&recipe, 2, PACE_LOCKSTEP);
    assert_int_equal(result->end, END_VIOLATION);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LAW);
    assert_string_equal(violation_describe(live_first_violation(result), text, sizeof text),
                        "lock 0, handoff 0: creates: the law says 1, found 2");
    trial_result_free(result);
}

/* A ticket that stays is found in the znode that was laid out for it; that one is no leftover. */
TEST(test_leftovers_below_what_was_laid_out_are_counted)
{
    struct recipe recipe = *registry_find("ticket");
    recipe.release = nolock_acquire;
    struct trial_result *result = run(&recipe, 1, PACE_FREE);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LEFTOVER);
    assert_int_equal(live_first_violation(result)->found, 1);
    trial_result_free(result);
}

TEST_GROUP(live_start, live_stop)
