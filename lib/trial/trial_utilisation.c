// SPDX-License-Identifier: Apache-2.0
#include "trial/trial.h"

#include <math.h>

_Static_assert(CONNECT_ENDPOINTS_MAX <= UTILISATION_SERVERS_MAX, "room for all servers");
_Static_assert(ENSEMBLE_SERVERS_MAX <= CONNECT_ENDPOINTS_MAX, "room for their CPU times");

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double mean_s(const struct trial_result *result, enum meter_kind kind)
{
    return histogram_mean_us(&result->latency[kind]) / 1e6;
}

/* ------------------------------------------------------------------ the steady part */

/* The messages that follow from the releases in the steady part. */
static void set_steady_part(const struct trial_result *result, struct utilisation_figures *figures)
{
    const struct trial_memory *memory = result->memory;
    struct tally sum = {0};
    uint64_t holds = 0, held_ns = 0;
    double locks_s = 0, clients_s = 0;
    for (uint32_t i = 0; i < memory->plan->locks; i++) {
        const struct lock_state *lock = &memory->locks[i];
        uint64_t first = plan_clients_of(memory->plan, i),
                 grants = atomic_load(&lock->steady_grants);
        if (grants == 0)
            continue;
        double steady_s =
            seconds(atomic_load(&lock->steady_until_ns) - atomic_load(&lock->steady_from_ns));
        locks_s += steady_s;
        clients_s += steady_s * (double)first;
        figures->grants += grants;
        for (uint64_t handoff = first; handoff < first + grants; handoff++)
            tally_sum(&sum, &ledger_row(&memory->ledger, i, handoff)->tally);
        holds += atomic_load(&lock->steady_holds);
        held_ns += atomic_load(&lock->steady_held_ns);
    }
    figures->steady_s = locks_s / memory->plan->locks;
    figures->clients = clients_s / figures->steady_s;
    figures->hold_s = seconds(held_ns) / (double)holds;
    uint64_t writes =
        sum.of[TALLY_CREATE] + sum.of[TALLY_SET] + sum.of[TALLY_DELETE] + sum.of[TALLY_MULTI];
    figures->count[UTILISATION_WRITE] = writes;
    figures->count[UTILISATION_READ] = tally_rpcs(&sum) - writes;
    figures->count[UTILISATION_NOTIFICATION] = sum.of[TALLY_NOTIFICATION];
    figures->received_bytes = sum.of[TALLY_BYTES_RECEIVED];
}

/* ------------------------------------------------------------------ latencies */

static double mean_of(const struct trial_result *result, const enum meter_kind *kinds, size_t count)
{
    double sum_s = 0, values = 0;
    for (size_t i = 0; i < count; i++) {
        const struct histogram *latency = &result->latency[kinds[i]];
        double of_kind = (double)histogram_recorded(latency);
        if (of_kind > 0)
            sum_s += of_kind * mean_s(result, kinds[i]);
        values += of_kind;
    }
    return sum_s / values;
}

static void set_latencies(const struct trial_result *result, struct utilisation_figures *figures)
{
    static const enum meter_kind writes[] = {METER_CREATE, METER_CREATE_FAILED, METER_SET,
                                             METER_DELETE, METER_MULTI},
                                 reads[] = {METER_EXISTS, METER_GET, METER_GET_CHILDREN};
    const struct recipe *recipe = result->memory->plan->recipe;
    bool excludes = recipe->shares == NULL && !recipe->barrier;
    figures->acquire_s = mean_s(result, METER_ACQUIRE);
    figures->release_s = mean_s(result, METER_RELEASE);
    figures->handoff_s = excludes ? mean_s(result, METER_HANDOFF) : NAN;
    figures->mean_s[UTILISATION_WRITE] = mean_of(result, writes, sizeof writes / sizeof writes[0]);
    figures->mean_s[UTILISATION_READ] = mean_of(result, reads, sizeof reads / sizeof reads[0]);
    figures->mean_s[UTILISATION_NOTIFICATION] = mean_s(result, METER_NOTIFICATION);
}

/* ------------------------------------------------------------------ what was used */

static void set_cpu(const struct trial_result *result, double cores, unsigned server_percent,
                    struct utilisation_figures *figures)
{
    const struct server_counters_count *servers = &result->servers;
    figures->driver_cpu_s = seconds(result->client_cpu_ns);
    figures->driver_cores = fleet_plan_cores(&result->memory->plan->fleet, cores);
    figures->cores = servers->cpu_known ? cores : NAN;
    figures->servers = servers->known ? servers->servers : 0;
    figures->span_s = seconds(servers->at_ns);
    figures->server_has_quota = server_percent > 0;
    figures->server_cores = server_percent > 0 ? fmin(server_percent / 100.0, cores) : cores;
    for (size_t i = 0; i < figures->servers; i++) {
        uint64_t fsync_ms = servers->fsync_of_ms[i];
        figures->server_cpu_s[i] = servers->cpu_known ? seconds(servers->cpu_of_ns[i]) : NAN;
        figures->fsync_s[i] = fsync_ms != FOUR_LETTER_UNREPORTED ? (double)fsync_ms / 1e3 : NAN;
    }
}

void trial_utilisation_compute(const struct trial_result *result, double cores,
                               unsigned server_percent, struct utilisation_figures *figures)
{
    const struct trial_plan *plan = result->memory->plan;
    *figures = (struct utilisation_figures){
        .locks = plan->locks,
        .elapsed_s = seconds(result->elapsed_ns),
    };
    set_latencies(result, figures);
    set_cpu(result, cores, server_percent, figures);
    if (plan->workload == WORKLOAD_STEADY && plan->pace == PACE_FREE)
        set_steady_part(result, figures);
}
