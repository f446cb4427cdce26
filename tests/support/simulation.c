// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulation.h"

#include "base/clock.h"

void simulation_init(struct simulation *simulation, size_t servers)
{
    *simulation =
        (struct simulation){.servers = {.count = servers}, .options = sim_options_default()};
    simulation->options.servers = (unsigned)servers;
    for (size_t i = 0; i < servers; i++)
        simulation->servers.endpoints[i] =
            (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
}

struct fleet_host simulation_host(const struct simulation *simulation)
{
    return (struct fleet_host){.servers = &simulation->servers,
                               .simulation = &simulation->options,
                               .interrupt_descriptor = -1};
}

struct trial_plan simulation_plan(const struct simulation *simulation, const struct recipe *recipe,
                                  uint32_t clients)
{
    return (struct trial_plan){.recipe = recipe,
                               .pace = PACE_LOCKSTEP,
                               .locks = 1,
                               .root = "/t",
                               .fleet = {.driver = DRIVER_SIMULATED,
                                         .servers = &simulation->servers,
                                         .sessions = clients,
                                         .processes = 1,
                                         .timeout_ns = 10 * NS_PER_S,
                                         .session_timeout_ms = 60000,
                                         .seed = 1}};
}

struct trial_result *simulation_run(const struct simulation *simulation,
                                    const struct trial_plan *plan)
{
    const struct fleet_host host = simulation_host(simulation);
    struct trial_result *result = NULL;
    struct error error = {0};
    if (trial_run(plan, &host, NULL, &result, &error) != ERROR_NONE)
        fail_msg("%s: %s", error_words(error.kind), error.detail);
    return result;
}
