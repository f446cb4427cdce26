// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulate.h"

#include "base/clock.h"
#include "fleet/shared.h"
#include "tests/support/simulation.h"
#include "wire/wire.h"

struct trial_result *simulate_trial(const struct trial_plan *plan, struct trial_plan *same)
{
    static struct simulation simulation;
    simulation_init(&simulation, live_servers.count);
    *same = *plan;
    same->fleet.driver = DRIVER_SIMULATED;
    same->fleet.processes = 1;
    same->fleet.servers = &simulation.servers;
    return simulation_run(&simulation, same);
}

static uint64_t sessions_pings_most(const struct trial_result *real)
{
    return shared_pings_most(real->memory->fleet, clock_now_ns());
}

/* What is counted and not simulated, if that can be messages of pings, each so long; else 0. */
static uint64_t ping_bytes(uint64_t counted, uint64_t simulated, size_t bytes, uint64_t pings_most)
{
    uint64_t more = counted - simulated;
    return more % bytes == 0 && more / bytes <= pings_most ? more : 0;
}

struct tally simulate_leave_out_pings(const struct trial_result *real, const struct tally *counted,
                                      const struct tally *simulated)
{
    struct tally rest = *counted;
    uint64_t *sent = &rest.of[TALLY_BYTES_SENT], *received = &rest.of[TALLY_BYTES_RECEIVED],
             most = sessions_pings_most(real);
    *sent -= ping_bytes(*sent, simulated->of[TALLY_BYTES_SENT], WIRE_CLOSE_REQUEST, most);
    *received -= ping_bytes(*received, simulated->of[TALLY_BYTES_RECEIVED], WIRE_BARE_REPLY, most);
    return rest;
}

void simulate_assert_same_servers(const struct trial_result *real, const struct trial_result *sim)
{
    uint64_t pings = real->servers.packets_received - sim->servers.packets_received;
    uint32_t timeout_ms = real->memory->plan->fleet.session_timeout_ms;
    /* Of the set-up session too, which may have waited for a while when the trial began. */
    assert_in_range(pings, 0,
                    sessions_pings_most(real) + pings_most(real->elapsed_ns, timeout_ms) + 1);
    assert_int_equal(real->handoffs, sim->handoffs);
    assert_int_equal(real->servers.writes, sim->servers.writes);
    assert_int_equal(real->servers.reads, sim->servers.reads + pings);
    assert_int_equal(real->servers.notifications, sim->servers.notifications);
    assert_int_equal(real->servers.watches, sim->servers.watches);
    assert_int_equal(real->servers.ephemerals, sim->servers.ephemerals);
}
