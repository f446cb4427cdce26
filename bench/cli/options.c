// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/options.h"

#include <stdlib.h>

/* Steady, when neither --handoffs nor --duration is given: grants of each client. */
#define ROUNDS_DEFAULT 10

const char *const options_workloads[] = {
    [WORKLOAD_DRAIN] = "drain", [WORKLOAD_STEADY] = "steady", NULL};
const char *const options_paces[] = {[PACE_LOCKSTEP] = "lockstep", [PACE_FREE] = "free", NULL};
const char *const options_drivers[] = {[DRIVER_EVENTS] = "events",
                                       [DRIVER_THREADS] = "threads",
                                       [DRIVER_SIMULATED] = "simulated",
                                       NULL};
const char *const options_placements[] = {[PLACEMENT_SPREAD] = "spread",
                                          [PLACEMENT_LEADER] = "leader",
                                          [PLACEMENT_FOLLOWERS] = "followers",
                                          NULL};

void options_deinit(struct options *options)
{
    free(options->plan.clients.list);
    free(options->plan.traced);
    options->plan.clients.list = options->plan.traced = NULL;
    target_options_deinit(&options->target);
}

void target_options_deinit(struct target_options *target)
{
    free(target->server_counts);
    free(target->homes);
    target->server_counts = NULL;
    target->homes = NULL;
}

bool target_options_cross(struct target_options *target)
{
    size_t homes = target->home_count > 0 ? target->home_count : 1, count = 0;
    const uint64_t *old = target->server_counts;
    uint64_t *made = calloc(OPTIONS_TOPOLOGIES_MAX, sizeof *made);
    for (size_t i = 0; made != NULL && i < target->topology_count; i++) {
        bool is_new = i == 0 || old[i] != old[i - 1];
        for (size_t home = 0; is_new && home < homes; home++, count++) {
            if (count < OPTIONS_TOPOLOGIES_MAX)
                made[count] = old[i];
        }
    }
    if (made == NULL || count > OPTIONS_TOPOLOGIES_MAX) {
        free(made);
        return false;
    }
    free(target->server_counts);
    target->server_counts = made;
    target->topology_count = count;
    return true;
}

const struct zookeeper_home *target_options_home(const struct target_options *target,
                                                 size_t topology)
{
    return target->home_count > 0 ? &target->homes[topology % target->home_count] : NULL;
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->plan.handoffs != 0 || options->plan.duration_ns != 0)
        return options->plan.handoffs;
    return clients * ROUNDS_DEFAULT;
}
