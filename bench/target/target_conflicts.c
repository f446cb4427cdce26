// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target_conflicts.h"

#include "bench/cli/complain.h"

struct question {
    const char *subcommand;
    const struct target_options *target;
    uint32_t processes;
};

/* Complains about the value of an option; true, for the functions here to return. */
static bool conflict(const struct question *question, const char *option, const char *value,
                     const char *why)
{
    return !complain_value(question->subcommand, option, value, why);
}

/* What only private servers are told. */
static bool private_conflicts(const struct question *question)
{
    const struct target_options *target = question->target;
    const char *given = target->home_count > 0    ? "--zookeeper"
                        : target->heap_given      ? "--heap"
                        : target->cpu_percent > 0 ? "--server-cpus"
                        : target->fsync_given     ? "--fsync"
                        : target->data != NULL    ? "--data"
                                                  : NULL;
    if (given != NULL && target->connect)
        return conflict(question, given, "with --connect",
                        "only private servers are configured by zkherd");
    if (given != NULL && target->driver == DRIVER_SIMULATED)
        return conflict(question, given, "with --driver simulated",
                        "a simulation has no server process");
    return false;
}

static bool server_conflicts(const struct question *question)
{
    const struct target_options *target = question->target;
    if (target->driver == DRIVER_SIMULATED && target->connect)
        return conflict(question, "--driver simulated", "with --connect",
                        "a simulation has servers of its own");
    if (target->driver == DRIVER_SIMULATED && question->processes > 1)
        return conflict(question, "--driver simulated", "with --processes",
                        "a simulation runs in one process");
    if (target->connect && target->servers_given)
        return conflict(question, "--servers", "with --connect",
                        "give existing servers, or have private ones started");
    if (!target->connect && target->placement == PLACEMENT_FOLLOWERS &&
        target->server_counts[0] == 1)
        return conflict(question, "--placement", "followers",
                        "a standalone server has no followers");
    return false;
}

bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes)
{
    const struct question question = {subcommand, target, processes};
    return server_conflicts(&question) || private_conflicts(&question);
}
