// SPDX-License-Identifier: Apache-2.0
/* Latencies by the role of the session's server, on an ensemble of three. */
#include "tests/support/live.h"
#include "tests/support/test.h"

#include "base/process.h"

static uint64_t count_of(const struct trial_result *result, enum role role, enum meter_kind kind)
{
    return histogram_count(&result->latency_of[role][kind]);
}

static unsigned find_server(enum role role)
{
    unsigned index = 0;
    while (live_ensemble->servers[index].role != role)
        index++;
    return index;
}

TEST(test_every_role_has_its_own_latencies)
{
    struct trial_plan plan = live_plan("nonscalable", 9);
    plan.fleet.processes = 2;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    unsigned leader = find_server(ROLE_LEADER);
    assert_int_equal(result->roles, 2);
    assert_int_equal(count_of(result, ROLE_LEADER, METER_ACQUIRE), 3);
    assert_int_equal(count_of(result, ROLE_FOLLOWER, METER_ACQUIRE), 6);
    /* Session 0 is granted first, and its grant ends no handoff. */
    assert_int_equal(count_of(result, ROLE_LEADER, METER_HANDOFF), leader == 0 ? 2 : 3);
    assert_int_equal(count_of(result, ROLE_FOLLOWER, METER_HANDOFF), leader == 0 ? 6 : 5);
    for (int kind = 0; kind < METER_KINDS; kind++)
        assert_int_equal(count_of(result, ROLE_LEADER, (enum meter_kind)kind) +
                             count_of(result, ROLE_FOLLOWER, (enum meter_kind)kind),
                         histogram_count(&result->latency[kind]));
    for (uint32_t i = 0; i < plan.fleet.sessions; i++)
        assert_int_equal(result->memory->fleet->sessions[i].role,
                         i % 3 == leader ? ROLE_LEADER : ROLE_FOLLOWER);
    trial_result_free(result);
}

static void check_placed(unsigned index, enum role role)
{
    struct connect_string placement = {.endpoints = {live_servers.endpoints[index]}, .count = 1};
    struct trial_plan plan = live_plan("scalable", 5);
    plan.fleet.servers = &placement;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->roles, 1);
    assert_int_equal(count_of(result, role, METER_ACQUIRE), 5);
    trial_result_free(result);
}

TEST(test_one_server_is_one_role)
{
    check_placed(find_server(ROLE_LEADER), ROLE_LEADER);
    check_placed(find_server(ROLE_FOLLOWER), ROLE_FOLLOWER);
}

/* While session 1 holds, and everybody else waits. */
static void kill_follower(void *context, const struct trial_progress *progress)
{
    const unsigned *victim = context;
    if (progress->handoffs == 2 && process_is_alive(live_ensemble->servers[*victim].pid))
        live_kill(*victim);
}

/* The last test of the file: the ensemble is not whole afterwards. */
TEST(test_a_session_that_reconnects_has_no_role)
{
    unsigned victim = live_ensemble->servers[0].role == ROLE_FOLLOWER ? 0 : 2;
    struct connect_string survivors = {.count = 0};
    struct trial_plan plan = live_plan("scalable", 6);
    for (unsigned i = 0; i < 3; i++) {
        if (i != victim)
            survivors.endpoints[survivors.count++] = live_servers.endpoints[i];
    }
    live_disown();
    plan.hold.mean_ns = NS_PER_S;   /* session 1 is to hold yet when a busy machine looks */
    live_host.servers = &survivors; /* only those are asked for their counters */
    live_host.watch.progress = kill_follower;
    live_host.watch.context = &victim;
    struct trial_result *result = live_trial(&plan);
    live_host.servers = &live_servers;
    live_host.watch.progress = NULL;
    assert_false(process_is_alive(live_ensemble->servers[victim].pid));
    assert_int_equal(result->end, END_DONE);
    /* Session 0 had been granted before; 2, 3 and 5 had not. */
    assert_int_equal(count_of(result, ROLE_RECONNECTED, METER_ACQUIRE), victim == 0 ? 1 : 2);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++) {
        bool moved = result->memory->fleet->sessions[i].role == ROLE_RECONNECTED;
        assert_int_equal(moved, i % 3 == victim);
    }
    uint64_t acquired = 0;
    for (int role = 0; role < ROLES; role++)
        acquired += count_of(result, (enum role)role, METER_ACQUIRE);
    assert_int_equal(acquired, 6);
    trial_result_free(result);
}

FIXTURE(start)
{
    return live_start_with(3, 2000);
}

TEST_GROUP(start, live_stop)
