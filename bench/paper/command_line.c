// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/paper/internal.h"
#include "bench/target/target.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_consistent(const struct evaluation *evaluation, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    const struct target_options *target = &load->target;
    const char *subcommand = evaluation->arguments.subcommand;
    bool is_private = target->driver != DRIVER_SIMULATED && !target->connect;
    size_t topologies = target->topology_count; /* of all evaluations together none */
    uint64_t servers = topologies > 0 ? target->server_counts[topologies - 1] : 1;
    struct error error = {0};
    char why[64];
    if (evaluation->compares_servers && topologies < 2 && !target->connect)
        return complain_number(subcommand, "--servers", servers,
                               "expected two numbers or more, to compare");
    if (load->sessions.count > 0 && load->processes > load->sessions.list[0]) {
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)load->sessions.list[0]);
        return complain_number(subcommand, "--processes", load->processes, why);
    }
    /* Private servers are fewer than simulated ones can be. */
    if (is_private && ensemble_check_size((unsigned)servers, &error) != ERROR_NONE)
        return complain_number(subcommand, "--servers", servers, error.detail);
    if (target_conflicts(subcommand, target, load->processes) ||
        (evaluation->is_consistent != NULL && !evaluation->is_consistent(options)))
        return false;
    return !evaluation->one_session || load->sessions.count == 1 ||
           complain_value(subcommand, "--sessions", "a list", "expected one number");
}

/* Sets the default of a simulation, or the number of servers of --connect. False: no memory. */
static bool set_topologies(const struct evaluation *evaluation, struct target_options *target)
{
    char count[32];
    const char *servers = evaluation->simulated;
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

int paper_options_parse(const struct evaluation *evaluation, int argc, char **argv,
                        struct paper_options *options)
{
    *options =
        (struct paper_options){.load = {.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()}};
    int status = arguments_parse(&evaluation->arguments, argc, argv, &options->load, NULL);
    if (status == ARGUMENTS_GO && !set_topologies(evaluation, &options->load.target))
        status = complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    if (status == ARGUMENTS_GO && !is_consistent(evaluation, options))
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
