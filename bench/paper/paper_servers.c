// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_servers.h"

#include <stdio.h>

const char *paper_servers_cannot_show(const struct target_options *target, bool writes)
{
    if (target->driver == DRIVER_SIMULATED)
        return writes ? "the leader of the simulation pays nothing for a follower" : NULL;
    return target->cpu_percent > 0 ? NULL : "the servers share the cores of one machine";
}

const char *paper_servers_describe(const struct target_options *target, char *text, size_t size)
{
    if (target->driver == DRIVER_SIMULATED)
        snprintf(text, size, "simulated servers");
    else if (target->connect)
        snprintf(text, size, "the servers of --connect");
    else if (target->cpu_percent > 0)
        snprintf(text, size, "servers on one machine, %u.%02u cores each",
                 target->cpu_percent / 100, target->cpu_percent % 100);
    else
        snprintf(text, size, "servers that share the cores of one machine");
    return text;
}
