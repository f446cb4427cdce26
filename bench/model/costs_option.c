// SPDX-License-Identifier: Apache-2.0
#include "bench/model/costs_option.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/model/costs_file.h"

#include <stdlib.h>

static void warn_of_servers(const struct target_options *target, const struct costs_file *costs)
{
    for (size_t i = 0; i < target->topology_count; i++) {
        if (target->server_counts[i] != costs->holds_for.server_count)
            complain_mildly("%s: the costs were measured on %u server%s: whether they hold for "
                            "%llu is not known",
                            target->costs, costs->holds_for.server_count,
                            costs->holds_for.server_count == 1 ? "" : "s",
                            (unsigned long long)target->server_counts[i]);
    }
}

static int take(const char *subcommand, struct target_options *target, bool quiet,
                struct costs_file *costs)
{
    struct error error = {0};
    if (costs_file_read(target->costs, costs, &error) != ERROR_NONE)
        return complain_about(subcommand, &error);
    const struct sim_options options = costs_file_simulation(costs, 1);
    target->simulated_costs = options.costs;
    target->simulated_cores = options.cores;
    if (!quiet)
        warn_of_servers(target, costs);
    return ARGUMENTS_GO;
}

int costs_option_take(const char *subcommand, struct target_options *target, bool quiet)
{
    if (target->costs == NULL)
        return ARGUMENTS_GO;
    if (target->driver != DRIVER_SIMULATED)
        return complain_usage(subcommand, "--costs",
                              "only --driver simulated has costs that can be given");
    struct costs_file *costs = malloc(sizeof *costs);
    if (costs == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "--costs"});
    int status = take(subcommand, target, quiet, costs);
    free(costs);
    return status;
}
