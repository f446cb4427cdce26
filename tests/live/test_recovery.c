// SPDX-License-Identifier: Apache-2.0
/* Replies that are lost: with a GUID the client recovers, whatever the operation was; so does
 * WriteLock. That a lost CREATE blocks a lock without one: test_adversity.c. */
#include "recipes/recipe.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* The driver of the group of tests that is running. */
static enum driver driver;

/* What is played, and whose replies are lost. A worker has a copy of its own. */
static const struct recipe *played;
static enum operation cut_operation;
static unsigned cut_after;     /* so many requests of this kind come through */
static _Atomic unsigned *cuts; /* replies lost, in memory that the worker shares */

/* Sessions on threads ask at the same time: each request has a number of its own, and one of them
 * is the one. */
static enum recipe_step cut_one(struct contender *s, enum recipe_step step)
{
    static _Atomic unsigned seen;
    if (step == STEP_REPLY && s->client->only.operation == cut_operation &&
        atomic_fetch_add(&seen, 1) == cut_after && client_cut(s->client))
        atomic_fetch_add(cuts, 1);
    return step;
}

static enum recipe_step cutting_acquire(struct contender *s)
{
    return cut_one(s, played->acquire(s));
}

static enum recipe_step cutting_release(struct contender *s)
{
    return cut_one(s, played->release(s));
}

/* Five clients, of whom one loses the reply to one request. */
static struct trial_result *run(const struct recipe *recipe, enum operation operation,
                                unsigned after)
{
    static struct recipe cutting; /* outlives its result, and so does the plan */
    static struct trial_plan plan;
    played = recipe;
    cut_operation = operation;
    cut_after = after;
    cutting = *recipe;
    cutting.acquire = cutting_acquire;
    cutting.release = cutting_release;
    plan = live_plan("scalable", 5);
    plan.recipe = &cutting;
    plan.fleet.driver = driver;
    plan.pace = PACE_FREE;
    plan.fleet.timeout_ns = 4 * NS_PER_S;
    atomic_store(cuts, 0);
    return live_trial(&plan);
}

static void assert_one_was_lost(const struct trial_result *result)
{
    assert_int_equal(atomic_load(cuts), 1);
    assert_int_equal(result->reconnects, 1);
}

TEST(test_a_recipe_that_does_not_recover_ends_its_session)
{
    struct trial_result *result = run(registry_find("scalable"), OP_CREATE, 0);
    assert_int_equal(result->end, END_LOST);
    assert_non_null(strstr(result->reason, "lost its connection"));
    trial_result_free(result);
}

static void check_recovery(const char *recipe, enum operation operation, unsigned after)
{
    struct trial_result *result = run(registry_find(recipe), operation, after);
    live_assert_good(result);
    assert_int_equal(result->handoffs, 5);
    assert_one_was_lost(result);
    assert_int_equal(result->servers.ephemerals_leaked, 0);
    trial_result_free(result);
}

TEST(test_with_a_guid_the_client_recovers)
{
    for (unsigned after = 0; after < 5; after++) {
        check_recovery("scalable-guid", OP_CREATE, after);
        check_recovery("scalable-guid", OP_GET_CHILDREN, after);
        check_recovery("scalable-guid", OP_DELETE, after);
    }
    check_recovery("scalable-guid", OP_EXISTS, 0);
}

/* Its deletion is not retried, as shipped. */
TEST(test_writelock_recovers)
{
    for (unsigned after = 0; after < 5; after++) {
        check_recovery("writelock", OP_EXISTS, after);
        check_recovery("writelock", OP_CREATE, after);
        check_recovery("writelock", OP_GET_CHILDREN, after);
    }
}

static int start_on_events(void **state)
{
    cuts = mmap(NULL, sizeof *cuts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cuts == MAP_FAILED)
        return 1;
    driver = DRIVER_EVENTS;
    return live_start(state);
}

static int start_on_threads(void **state)
{
    cuts = mmap(NULL, sizeof *cuts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cuts == MAP_FAILED)
        return 1;
    driver = DRIVER_THREADS;
    return live_start(state);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
