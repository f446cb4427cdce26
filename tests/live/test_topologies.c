// SPDX-License-Identifier: Apache-2.0
/* The same counts on an ensemble of three as on one server, and a leader that dies. */
#include "tests/support/live.h"
#include "tests/support/test.h"

static void check_drain(const struct recipe *recipe, uint32_t clients, uint32_t processes,
                        enum pace pace, enum driver driver)
{
    struct trial_plan plan = live_plan(recipe->name, clients);
    plan.fleet.driver = driver;
    plan.fleet.processes = processes;
    plan.pace = pace;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, clients);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_int_equal(result->servers.ephemerals_leaked, 0);
    trial_result_free(result);
}

TEST(test_counts_are_exact_on_three_servers)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        check_drain(recipe, 1, 1, PACE_LOCKSTEP, DRIVER_EVENTS);
        check_drain(recipe, 12, 4, PACE_LOCKSTEP, DRIVER_EVENTS);
        check_drain(recipe, 5, 2, PACE_LOCKSTEP, DRIVER_THREADS);
    }
}

TEST(test_free_pace_reconciles_on_three_servers)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe->broken)
            check_drain(recipe, 20, 2, PACE_FREE, DRIVER_EVENTS);
    }
}

/* While the lock is held, zkherd's own session writes, and does not count that. */
static void write_once(void *context, const struct trial_progress *progress)
{
    bool *written = context;
    struct error error = {0};
    if (*written || progress->handoffs < 2)
        return;
    live_expect(setup_session_create(live_host.setup, ROOT "/more", &error), &error);
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/more", &error), &error);
    live_host.setup->session.traffic.requests -= 2;
    live_host.setup->session.traffic.writes -= 2;
    *written = true;
}

static void check_wrong_tally(enum pace pace)
{
    struct trial_plan plan = live_plan("scalable", 4);
    bool written = false;
    plan.pace = pace;
    plan.hold.mean_ns = 300 * NS_PER_MS;
    live_host.watch.progress = write_once;
    live_host.watch.context = &written;
    struct trial_result *result = live_trial(&plan);
    live_host.watch.progress = NULL;
    assert_true(written);
    assert_int_equal(result->reconciled, RECONCILED_NO);
    assert_int_equal(result->violation_count, 1);
    const struct violation *violation = &result->memory->violations[0];
    assert_int_equal(violation->kind, VIOLATION_SERVERS);
    assert_int_equal(violation->counter, server_counters_writes);
    assert_int_equal(violation->found, violation->expected + 2);
    trial_result_free(result);
}

/* On servers of ours nobody else can have written: zkherd has miscounted. */
TEST(test_a_wrong_tally_fails_the_trial)
{
    check_wrong_tally(PACE_LOCKSTEP);
    check_wrong_tally(PACE_FREE);
}

/* A few handoffs into the trial its leader dies. */
static void kill_leader(void *context, const struct trial_progress *progress)
{
    bool *killed = context;
    if (*killed || progress->handoffs < 3)
        return;
    for (unsigned i = 0; i < live_ensemble->connect.count; i++) {
        if (live_ensemble->servers[i].role == ROLE_LEADER)
            live_kill(i);
    }
    *killed = true;
}

/* The last test of the file: the ensemble is not whole afterwards. */
TEST(test_a_dead_leader_ends_the_trial_in_good_order)
{
    struct trial_plan plan = live_plan("scalable", 30);
    struct error error = {0};
    bool exists = true;
    live_disown();
    plan.hold.mean_ns = 100 * NS_PER_MS;
    uint64_t began_ns = clock_now_ns();
    struct trial_result *result = live_trial_befallen(&plan, kill_leader);
    assert_true(clock_now_ns() - began_ns < 40 * NS_PER_S);
    /* Connections break when the ensemble elects. */
    assert_true(result->end == END_LOST || result->end == END_DEADLINE);
    assert_true(strlen(result->reason) > 0);
    trial_result_free(result);
    live_expect(setup_session_exists(live_host.setup, plan.root, &exists, &error), &error);
    assert_false(exists);
}

FIXTURE(start)
{
    return live_start_with(3, 2000);
}

TEST_GROUP(start, live_stop)
