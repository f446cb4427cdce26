// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target_conflicts.h"

#include "bench/cli/complain.h"

bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes)
{
    bool simulated = target->driver == DRIVER_SIMULATED;
    const char *given = target->home_count > 0    ? "--zookeeper"
                        : target->heap_given      ? "--heap"
                        : target->cpu_percent > 0 ? "--server-cpus"
                        : target->fsync_given     ? "--fsync"
                        : target->data != NULL    ? "--data"
                                                  : NULL;
    const struct {
        bool found;
        const char *option, *value, *why;
    } conflicts[] = {
        {simulated && target->connect, "--driver simulated", "with --connect",
         "a simulation has servers of its own"},
        {simulated && processes > 1, "--driver simulated", "with --processes",
         "a simulation runs in one process"},
        {target->connect && target->servers_given, "--servers", "with --connect",
         "give existing servers, or have private ones started"},
        {!target->connect && target->placement == PLACEMENT_FOLLOWERS &&
             target->server_counts[0] == 1,
         "--placement", "followers", "a standalone server has no followers"},
        {given != NULL && target->connect, given, "with --connect",
         "only private servers are configured by zkherd"},
        {given != NULL && simulated, given, "with --driver simulated",
         "a simulation has no server process"},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        if (conflicts[i].found)
            return !complain_value(subcommand, conflicts[i].option, conflicts[i].value,
                                   conflicts[i].why);
    }
    return false;
}
