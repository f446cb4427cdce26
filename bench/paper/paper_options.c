// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_options.h"

#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/load_rows.h"
#include "bench/cli/shared_rows.h"
#include "bench/target/target_conflicts.h"
#include "sim/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of the paper, and one server. */
#define SIMULATED "1,3,5,7,9,13"

#define MEMBER(member) OPTION_MEMBER(struct load_options, member)

static const struct option_row rows[] = {
    {.name = "--servers",
     .parse = shared_rows_simulated_topologies,
     .member = MEMBER(target),
     .given = MEMBER(target.servers_given),
     .least = 1,
     .most = SIM_SERVERS_MAX,
     .value = "1,3,5",
     .help = "      --servers LIST       numbers of private servers, 1 to 7, two or more [1,3,5];\n"
             "                           of simulated ones 1 to 13 [" SIMULATED "]\n"},
    {.name = "--reads",
     .parse = load_rows_levels,
     .member = MEMBER(reads),
     .most = 100,
     .expected = "expected percents, such as 0,100 or 0..100+20",
     .value = "0..100+20",
     .help = "      --reads LIST         percent of reads, 0 and 100 among them [0..100+20]\n"},
    {.name = "--sessions",
     .letter = 'n',
     .parse = load_rows_sessions,
     .member = MEMBER(sessions),
     .least = 1,
     .most = LOAD_ROWS_SESSIONS_MAX,
     .expected = "expected a whole number from 1 to 100000",
     .value = "60",
     .help = "  -n, --sessions N         the paper: 250 [60]\n"},
    LOAD_ROW_DEPTH("20"),
    LOAD_ROW_SIZE("1024"),
    LOAD_ROW_DURATION("5s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(2, "3"),
    ROW_DRIVER(struct load_options),
    ROW_PROCESSES(struct load_options, processes, NULL),
    ROW_HEAP(struct load_options),
    {.name = "--server-cpus",
     .parse = option_row_cpus,
     .member = MEMBER(target.cpu_percent),
     .least = SERVER_CPU_MIN_PERCENT,
     .help = "      --server-cpus X      cores that each private server may use [its part of\n"
             "                           those that the driver leaves]\n"},
    ROW_FSYNC(struct load_options),
    ROW_DATA(struct load_options),
    ROW_SESSION_TIMEOUT(struct load_options, session_timeout_ns, NULL),
    ROW_TIMEOUT(struct load_options, timeout_ns, NULL),
    ROW_SEED(struct load_options, seed),
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct load_options, output.out),
     .help = "  -o, --out DIR            new folder for the results [results/TIME-paper]\n"},
    ROW_PLOTS(struct load_options),
    ROW_QUIET(struct load_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static const char usage[] =
    "Usage: zkherd paper [OPTION]... [table1]\n"
    "Repeat an evaluation of the ZooKeeper paper (Hunt et al., USENIX ATC 2010),\n"
    "scaled to this machine, and judge its shape; its figures stand beside ours.\n"
    "table1: throughput against the share of reads and the number of servers (Figure 5).\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: 0 the claims hold; 1 one\n"
    "fails, or the servers counted otherwise; 2 wrong usage; 3 the environment; 4 one\n"
    "is undetermined.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper                             about ten minutes\n"
    "  zkherd paper --servers 1,3 --reads 0,100 the ends of two curves\n"
    "  zkherd paper -d simulated                by the cost model of the simulation\n";

static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("paper", option, value, why);
}

/* Private servers are fewer than simulated ones can be. */
static bool check_private(const struct target_options *target)
{
    for (size_t i = 0; i < target->topology_count; i++) {
        struct error error = {0};
        char value[32];
        snprintf(value, sizeof value, "%llu", (unsigned long long)target->server_counts[i]);
        if (ensemble_check_size((unsigned)target->server_counts[i], &error) != ERROR_NONE)
            return wrong("--servers", value, error.detail);
    }
    return true;
}

static bool is_consistent(const struct load_options *options)
{
    const struct load_levels *reads = &options->reads;
    char value[32], why[64];
    if (options->target.topology_count < 2) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)options->target.server_counts[0]);
        return wrong("--servers", value, "expected two numbers or more, to compare");
    }
    if (reads->list[0] != 0 || reads->list[reads->count - 1] != 100)
        return wrong("--reads", "from writes alone to reads alone",
                     "expected 0 and 100 among the percents");
    if (options->sessions.count > 1)
        return wrong("--sessions", "a list", "expected one number");
    if (options->processes > options->sessions.list[0]) {
        snprintf(value, sizeof value, "%u", options->processes);
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)options->sessions.list[0]);
        return wrong("--processes", value, why);
    }
    if (options->target.driver != DRIVER_SIMULATED && !check_private(&options->target))
        return false;
    return !target_conflicts("paper", &options->target, options->processes);
}

/* The default of a simulation. False: no memory. */
static bool take_simulated(struct target_options *target)
{
    if (target->driver != DRIVER_SIMULATED || target->servers_given)
        return true;
    free(target->server_counts);
    target->server_counts = NULL;
    return text_parse_numbers(SIMULATED, 1, SIM_SERVERS_MAX, &target->server_counts,
                              &target->topology_count);
}

static int check_operands(int argc, char **argv, int first)
{
    if (first < argc && strcmp(argv[first], "table1") != 0)
        return complain_usage("paper", argv[first], "expected table1");
    if (first + 1 < argc)
        return complain_usage("paper", argv[first + 1], "expected one table");
    return ARGUMENTS_GO;
}

int paper_options_parse(int argc, char **argv, struct load_options *options)
{
    static const struct arguments arguments = {"paper", usage, rows, notes, NULL};
    int first = argc;
    *options = (struct load_options){.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, &first);
    if (status == ARGUMENTS_GO)
        status = check_operands(argc, argv, first);
    if (status == ARGUMENTS_GO && !take_simulated(&options->target))
        status = complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        load_options_deinit(options);
    return status;
}
