// SPDX-License-Identifier: Apache-2.0
#include "bench/model/drain.h"

#include "base/clock.h"

#include <math.h>

/* Of virtual time: as long as nobody waits for. */
#define SIMULATED_TIMEOUT_NS      (600 * NS_PER_S)
#define SIMULATED_SESSION_TIMEOUT 60000

const char *drain_word(enum drain_time time)
{
    return time == DRAIN_TOTAL ? "drain" : "handoff p50";
}

bool drain_same_cell(const struct drain_cell *a, const struct drain_cell *b)
{
    return a->recipe == b->recipe && a->clients == b->clients && a->locks == b->locks;
}

struct trial_plan drain_plan(const struct drain_cell *cell)
{
    return (struct trial_plan){
        .fleet = {.sessions = cell->clients},
        .recipe = cell->recipe,
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = cell->locks,
    };
}

void drain_read(const struct trial_result *result, double times_s[DRAIN_TIMES])
{
    times_s[DRAIN_TOTAL] = (double)result->drain_ns / 1e9;
    times_s[DRAIN_HANDOFF] = histogram_percentile_us(&result->latency[METER_HANDOFF], 50) / 1e6;
}

static void name_servers(unsigned count, struct connect_string *servers)
{
    *servers = (struct connect_string){.count = count};
    for (unsigned i = 0; i < count; i++)
        servers->endpoints[i] = (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
}

enum error_kind drain_simulate(const struct sim_options *options, const struct drain_cell *cell,
                               uint64_t seed, int interrupts, double times_s[DRAIN_TIMES],
                               struct error *error)
{
    struct connect_string servers;
    struct trial_result *result = NULL;
    struct trial_plan plan = drain_plan(cell);
    const struct trial_host host = {
        .servers = &servers, .simulation = options, .watch = {.interrupt_descriptor = interrupts}};
    name_servers(options->servers, &servers);
    plan.fleet.driver = DRIVER_SIMULATED;
    plan.fleet.processes = 1;
    plan.fleet.timeout_ns = SIMULATED_TIMEOUT_NS;
    plan.fleet.session_timeout_ms = SIMULATED_SESSION_TIMEOUT;
    plan.fleet.seed = seed;
    plan.fleet.servers = &servers;
    plan.root = "/drain";
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (result->end != END_DONE)
        kind = error_raise(error, ERROR_ZOOKEEPER, 0, "simulation", "%s, %u clients: %s",
                           cell->recipe->name, cell->clients, result->reason);
    else
        drain_read(result, times_s);
    trial_result_free(result);
    return kind;
}

enum error_kind drain_expect(const struct sim_options *options, const struct drain_cell *cell,
                             int interrupts, double times_s[DRAIN_TIMES], struct error *error)
{
    double logs[DRAIN_TIMES] = {0};
    for (uint64_t seed = 1; seed <= DRAIN_SEEDS; seed++) {
        double one_s[DRAIN_TIMES] = {0};
        enum error_kind kind = drain_simulate(options, cell, seed, interrupts, one_s, error);
        if (kind != ERROR_NONE)
            return kind;
        for (size_t i = 0; i < DRAIN_TIMES; i++)
            logs[i] += log(one_s[i]);
    }
    for (size_t i = 0; i < DRAIN_TIMES; i++)
        times_s[i] = exp(logs[i] / DRAIN_SEEDS);
    return ERROR_NONE;
}
