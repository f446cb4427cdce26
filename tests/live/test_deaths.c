// SPDX-License-Identifier: Apache-2.0
/* Trials in which a session dies, or loses a reply: what the others are in for. With a GUID a
 * client recovers from a lost reply, whatever the operation was; so does WriteLock. */
#include "tests/support/live.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* The driver of the group of tests that is running. */
static enum driver driver;

/* Of the others, too: a machine that stands still for seconds is to cost none of them its
 * connection, and one that was not heard of for two thirds of this has lost it. */
#define SESSION_MS 6000

static struct trial_plan plan_of(const char *recipe, uint32_t clients, struct death death)
{
    struct trial_plan plan = live_plan(recipe, clients);
    plan.fleet.driver = driver;
    plan.death = death;
    /* Nothing but a crash is to take a timeout. */
    plan.fleet.session_timeout_ms = death.how == DEATH_CRASH ? SESSION_MS : 60000;
    return plan;
}

/* Led to its end, no verdict failed, and the servers counted what the sessions did. */
static void assert_survived(const struct trial_result *result)
{
    live_assert_good(result);
    assert_true(result->had_death);
    assert_false(result->has_law);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
}

/* The crashed session's znodes go no earlier than its timeout after its last request. */
static void assert_timed_out(const struct trial_result *result)
{
    const struct trial_memory *memory = result->memory;
    assert_int_equal(memory->fleet->sessions[0].timeout_ms, SESSION_MS);
    assert_true(memory->locks[0].lapses_ns > 0 && result->recovery_ns > 0);
    assert_true(memory->died_ns + result->recovery_ns >= memory->locks[0].lapses_ns);
}

/* ------------------------------------------------------------------ locks */

static void check_death(const char *recipe, enum death_how how, enum death_who who, uint64_t after)
{
    struct trial_plan plan = plan_of(recipe, 6, (struct death){how, who, after});
    struct trial_result *result = live_trial(&plan);
    assert_survived(result);
    assert_int_equal(result->handoffs, who == DEATH_WAITER ? 5 : 6);
    if (how == DEATH_CRASH && who == DEATH_HOLDER)
        assert_timed_out(result);
    else
        assert_true(result->recovery_ns > 0);
    trial_result_free(result);
}

/* On threads, while one ends its session, another gives orders to all. */
TEST(test_exits_are_survived)
{
    static const char *const recipes[] = {"nonscalable", "childwatch", "scalable"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        check_death(recipes[i], DEATH_EXIT, DEATH_HOLDER, 0);
        check_death(recipes[i], DEATH_EXIT, DEATH_WAITER, 0);
        check_death(recipes[i], DEATH_EXIT, DEATH_HOLDER, 2);
        check_death(recipes[i], DEATH_EXIT, DEATH_WAITER, 3);
    }
}

/* A timeout each: at every step and of every recipe they are test_deaths_at_any_step's. */
TEST(test_crashes_are_survived)
{
    check_death("nonscalable", DEATH_CRASH, DEATH_HOLDER, 0);
    check_death("scalable", DEATH_CRASH, DEATH_WAITER, 1);
}

/* Nobody else is there to see it, and it leaves nothing behind. */
TEST(test_the_last_may_die)
{
    for (int how = DEATH_EXIT; how <= DEATH_CRASH; how++) {
        struct trial_plan plan =
            plan_of("scalable", 3, (struct death){(enum death_how)how, DEATH_HOLDER, 2});
        struct trial_result *result = live_trial(&plan);
        assert_survived(result);
        assert_int_equal(result->handoffs, 3);
        assert_int_equal(result->recovery_ns, 0);
        trial_result_free(result);
    }
}

/* One lock of three loses its holder; sessions in two processes. */
TEST(test_other_locks_go_on)
{
    struct trial_plan plan = plan_of("scalable", 9, (struct death){DEATH_EXIT, DEATH_HOLDER, 1});
    plan.locks = 3;
    plan.fleet.processes = 2;
    struct trial_result *result = live_trial(&plan);
    assert_survived(result);
    assert_int_equal(result->handoffs, 9);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ lost replies */

TEST(test_a_lost_create_blocks_the_queue)
{
    struct trial_plan plan =
        plan_of("scalable", 5, (struct death){DEATH_LOST_REPLY, DEATH_WAITER, 0});
    struct trial_result *result = live_trial(&plan);
    assert_int_equal(result->end, END_DEADLINE);
    assert_int_equal(result->violation_count, 0);
    assert_int_equal(result->handoffs, 2);
    assert_int_equal(result->total.of[TALLY_CREATE], 6);
    /* It waits for the znode that it does not know to be its own. */
    assert_non_null(strstr(result->reason, "session 2, which waits at " ROOT));
    assert_non_null(strstr(result->reason, "lock-0000000003 for the deletion of "));
    assert_non_null(strstr(result->reason, "lock-0000000002"));
    trial_result_free(result);
}

TEST(test_a_guid_finds_the_znode)
{
    for (int who = DEATH_HOLDER; who <= DEATH_WAITER; who++) {
        struct trial_plan plan =
            plan_of("scalable-guid", 5, (struct death){DEATH_LOST_REPLY, (enum death_who)who, 0});
        struct trial_result *result = live_trial(&plan);
        assert_survived(result);
        assert_int_equal(result->handoffs, 5);
        assert_int_equal(result->reconnects, 1);
        assert_int_equal(result->total.of[TALLY_CREATE], 5);
        trial_result_free(result);
    }
}

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
static struct trial_result *run_cut(const struct recipe *recipe, enum operation operation,
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
    atomic_store(cuts, 0);
    return live_trial(&plan);
}

TEST(test_a_recipe_that_does_not_recover_ends_its_session)
{
    struct trial_result *result = run_cut(registry_find("scalable"), OP_CREATE, 0);
    assert_int_equal(result->end, END_LOST);
    assert_non_null(strstr(result->reason, "lost its connection"));
    trial_result_free(result);
}

static void check_recovery(const char *recipe, enum operation operation, unsigned after)
{
    struct trial_result *result = run_cut(registry_find(recipe), operation, after);
    live_assert_good(result);
    assert_int_equal(result->handoffs, 5);
    assert_int_equal(atomic_load(cuts), 1);
    assert_int_equal(result->reconnects, 1);
    assert_int_equal(result->servers.ephemerals, 0);
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

/* ------------------------------------------------------------------ work under the lock */

TEST(test_a_half_written_state_is_mended)
{
    for (int pace = PACE_LOCKSTEP; pace <= PACE_FREE; pace++) {
        struct trial_plan plan = plan_of("ready", 5, (struct death){DEATH_CRASH, DEATH_WORKER, 2});
        plan.pace = (enum pace)pace;
        struct trial_result *result = live_trial(&plan);
        assert_survived(result);
        assert_timed_out(result);
        assert_int_equal(result->handoffs, 5);
        assert_int_equal(result->repairs, 1);
        assert_int_equal(result->total.of[TALLY_DELETE_FAILED], 1);
        trial_result_free(result);
    }
}

#define TASKS 3

TEST(test_a_task_whose_worker_crashed_is_run_again)
{
    for (int pace = PACE_LOCKSTEP; pace <= PACE_FREE; pace++) {
        struct trial_plan plan =
            plan_of("softlock", 5, (struct death){DEATH_CRASH, DEATH_WORKER, 0});
        plan.locks = TASKS;
        plan.pace = (enum pace)pace;
        struct trial_result *result = live_trial(&plan);
        assert_survived(result);
        assert_timed_out(result);
        assert_int_equal(result->handoffs, 4 * TASKS + 1);
        assert_int_equal(result->tasks_done, TASKS);
        trial_result_free(result);
    }
}

static int start_on(enum driver chosen)
{
    driver = chosen;
    cuts = mmap(NULL, sizeof *cuts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cuts == MAP_FAILED ? -1 : live_start_with(1, 500);
}

FIXTURE(start_on_events)
{
    return start_on(DRIVER_EVENTS);
}

FIXTURE(start_on_threads)
{
    return start_on(DRIVER_THREADS);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
