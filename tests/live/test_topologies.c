// SPDX-License-Identifier: Apache-2.0
/* The same counts on an ensemble of three as on one server, and a leader that dies. */
#define LIVE_SERVERS 3
#include "tests/live/live.h"

static void check_drain(const struct recipe *recipe, uint32_t clients, uint32_t processes,
                        enum pace pace)
{
    struct trial_plan plan = live_plan(recipe->name, clients);
    plan.processes = processes;
    plan.pace = pace;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->handoffs, clients);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    assert_int_equal(result->servers.ephemerals_leaked, 0);
    trial_result_free(result);
}

static void test_counts_are_exact_on_three_servers(void **state)
{
    static const uint32_t clients[] = {1, 2, 7, 16};
    const struct recipe *recipe;
    (void)state;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++)
            check_drain(recipe, clients[i], 1, PACE_LOCKSTEP);
        check_drain(recipe, 12, 4, PACE_LOCKSTEP);
    }
}

static void test_free_pace_reconciles_on_three_servers(void **state)
{
    const struct recipe *recipe;
    (void)state;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe->broken)
            check_drain(recipe, 20, 2, PACE_FREE);
    }
}

static void test_sessions_are_spread_evenly(void **state)
{
    struct trial_plan plan = live_plan("scalable", 9);
    struct trial_result *result = live_trial(&plan);
    (void)state;
    live_assert_good(result);
    for (uint32_t i = 0; i < plan.clients; i++) {
        char server[ENDPOINT_TEXT_SIZE];
        endpoint_format(&live_servers.endpoints[i % 3], server, sizeof server);
        assert_string_equal(result->board->sessions[i].server, server);
    }
    trial_result_free(result);
}

/* A few handoffs into the trial its leader dies. */
static void kill_leader(void *context, const struct trial_progress *progress)
{
    bool *killed = context;
    if (*killed || progress->handoffs < 3)
        return;
    for (unsigned i = 0; i < ensemble_count(live_ensemble); i++) {
        if (ensemble_role(live_ensemble, i) == SERVER_LEADER)
            ensemble_kill(live_ensemble, i);
    }
    *killed = true;
}

/* The last test of the file: the ensemble is not whole afterwards. */
static void test_a_dead_leader_does_not_hang_the_driver(void **state)
{
    struct trial_plan plan = live_plan("scalable", 30);
    struct trial_result *result = NULL;
    struct fault fault = {0};
    bool killed = false;
    (void)state;
    plan.pace = PACE_FREE;
    plan.hold.mean_ns = 100 * NS_PER_MS;
    plan.timeout_ns = 3 * NS_PER_S;
    plan.root = ROOT "/dead-leader";
    live_host.watch.progress = kill_leader;
    live_host.watch.context = &killed;
    uint64_t began_ns = clock_now_ns();
    enum fault_kind kind = trial_run(&plan, &live_host, &result, &fault);
    live_host.watch.progress = NULL;
    assert_true(killed);
    assert_true(clock_now_ns() - began_ns < 40 * NS_PER_S);
    /* Connections break when the ensemble elects: the trial says so, as a fault or as its end. */
    if (kind == FAULT_NONE)
        assert_int_not_equal(result->end, END_DONE);
    trial_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_exact_on_three_servers),
        cmocka_unit_test(test_free_pace_reconciles_on_three_servers),
        cmocka_unit_test(test_sessions_are_spread_evenly),
        cmocka_unit_test(test_a_dead_leader_does_not_hang_the_driver),
    };
    return cmocka_run_group_tests(tests, live_start, live_stop);
}
