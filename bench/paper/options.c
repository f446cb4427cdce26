// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/internal.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/target/target.h"

#include <stdio.h>
#include <stdlib.h>

/* Private servers are fewer than simulated ones can be. */
static bool check_private(const char *subcommand, const struct target_options *target)
{
    if (target->driver == DRIVER_SIMULATED || target->connect)
        return true;
    for (size_t i = 0; i < target->topology_count; i++) {
        struct error error = {0};
        if (ensemble_check_size((unsigned)target->server_counts[i], &error) != ERROR_NONE)
            return complain_number(subcommand, "--servers", target->server_counts[i], error.detail);
    }
    return true;
}

bool paper_options_sessions_are_one(const char *subcommand, const struct paper_options *options)
{
    return options->load.sessions.count == 1 ||
           complain_value(subcommand, "--sessions", "a list", "expected one number");
}

static bool is_consistent(const struct paper_command *command, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    const char *subcommand = command->arguments.subcommand;
    char why[64];
    if (command->compares_servers && load->target.topology_count < 2 && !load->target.connect)
        return complain_number(subcommand, "--servers", load->target.server_counts[0],
                               "expected two numbers or more, to compare");
    if (load->sessions.count > 0 && load->processes > load->sessions.list[0]) {
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)load->sessions.list[0]);
        return complain_number(subcommand, "--processes", load->processes, why);
    }
    return check_private(subcommand, &load->target) &&
           !target_conflicts(subcommand, &load->target, load->processes) &&
           (command->is_consistent == NULL || command->is_consistent(options));
}

/* The default of a simulation, and the servers of --connect. False: no memory. */
static bool take_topologies(const struct paper_command *command, struct target_options *target)
{
    char count[32];
    const char *servers = command->simulated;
    if (target->servers_given || (!target->connect && target->driver != DRIVER_SIMULATED))
        return true;
    if (target->connect) {
        snprintf(count, sizeof count, "%zu", target->servers.count);
        servers = count;
    }
    free(target->server_counts);
    target->server_counts = NULL;
    return text_parse_numbers(servers, 1, UINT64_MAX, &target->server_counts,
                              &target->topology_count);
}

int paper_options_parse(const struct paper_command *command, int argc, char **argv,
                        struct paper_options *options)
{
    *options =
        (struct paper_options){.load = {.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()}};
    int status = arguments_take(&command->arguments, argc, argv, &options->load, NULL);
    if (status == ARGUMENTS_GO && !take_topologies(command, &options->load.target))
        status = complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    if (status == ARGUMENTS_GO && !is_consistent(command, options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        paper_options_deinit(options);
    return status;
}

void paper_options_deinit(struct paper_options *options)
{
    load_options_deinit(&options->load);
    free(options->barriers.list);
    options->barriers = (struct levels){0};
}

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
