// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulate.h"

#include "tests/support/simulation.h"

struct trial_host simulate_host(void)
{
    static struct simulation simulation;
    simulation_init(&simulation,
                    live_servers.count > 0 ? live_servers.count : 1); /* 0: none runs */
    return simulation_host(&simulation);
}

struct trial_result *simulate_trial(const struct trial_plan *plan, struct trial_plan *same)
{
    struct error error = {0};
    struct trial_result *result = NULL;
    struct trial_host host = simulate_host();
    *same = *plan;
    same->fleet.driver = DRIVER_SIMULATED;
    same->fleet.processes = 1;
    same->fleet.servers = host.servers;
    live_expect(trial_run(same, &host, &result, &error), &error);
    return result;
}

/* No session's timeout is shorter, and a third of it is how long a session is silent before it
 * pings. */
#define SESSION_LEAST_NS (10 * NS_PER_S)

uint64_t simulate_pings_most(const struct trial_result *real)
{
    uint64_t sessions = real->memory->plan->fleet.sessions + 1; /* and the set-up session */
    return sessions * (real->elapsed_ns / (SESSION_LEAST_NS / 3));
}

void simulate_assert_same_servers(const struct trial_result *real, const struct trial_result *sim)
{
    uint64_t pings = real->servers.packets_received - sim->servers.packets_received;
    assert_in_range(pings, 0, simulate_pings_most(real));
    assert_int_equal(real->handoffs, sim->handoffs);
    assert_int_equal(real->servers.writes, sim->servers.writes);
    assert_int_equal(real->servers.reads, sim->servers.reads + pings);
    assert_int_equal(real->servers.notifications, sim->servers.notifications);
    assert_int_equal(real->servers.watches_leaked, sim->servers.watches_leaked);
    assert_int_equal(real->servers.ephemerals_leaked, sim->servers.ephemerals_leaked);
}
