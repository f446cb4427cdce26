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
    free(options->target.server_counts);
    options->plan.clients.list = options->plan.traced = options->target.server_counts = NULL;
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->plan.handoffs != 0 || options->plan.duration_ns != 0)
        return options->plan.handoffs;
    return clients * ROUNDS_DEFAULT;
}
