// SPDX-License-Identifier: Apache-2.0
#include "bench/calibrate/calibrate_command_line.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/shared_rows.h"
#include "bench/target/target_conflicts.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: zkherd calibrate [OPTION]...\n"
    "Measure drains of several recipes, estimate from them what a read, a write, a\n"
    "notification, a name, the disk and the network take on these servers, and write\n"
    "these costs with their intervals to a file. The simulation uses them:\n"
    "zkherd run -d simulated --costs FILE, zkherd plan --predict --costs FILE.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: 0 done; 2 wrong usage;\n"
    "3 the environment; 4 a cell has no valid trial, or interrupted: no file is\n"
    "written.\n"
    "\n"
    "Examples:\n"
    "  zkherd calibrate                                a private server, two minutes\n"
    "  zkherd calibrate --servers 3 --server-cpus 0.3 -o three.json\n"
    "  zkherd calibrate --connect zk1,zk2,zk3/test     your own servers\n";

static const char *const drivers[] = {"events", "threads", NULL};

static const struct option_row rows[] = {
    DRAIN_ROW_RECIPES(struct calibrate_options),
    DRAIN_ROW_CLIENTS(struct calibrate_options, 2, "8,16,32"),
    DRAIN_ROW_TRIALS(struct calibrate_options, 2, "15"),
    DRAIN_ROW_WARM_UP(struct calibrate_options),
    {.name = "--driver",
     .letter = 'd',
     OPTION_WORD(struct calibrate_options, target.driver, drivers, "expected events or threads"),
     .value = "events",
     .help = "  -d, --driver NAME        events: one event loop per process; threads: a thread\n"
             "                           per session [events]\n"},
    ROW_PROCESSES(struct calibrate_options, drains.processes, NULL),
    ROW_SERVERS(struct calibrate_options),
    ROW_HEAP(struct calibrate_options),
    ROW_SERVER_CPUS(struct calibrate_options, NULL),
    ROW_FSYNC(struct calibrate_options),
    ROW_DATA(struct calibrate_options),
    ROW_CONNECT(struct calibrate_options),
    ROW_SESSION_TIMEOUT(struct calibrate_options, drains.session_timeout_ns, NULL),
    ROW_TIMEOUT(struct calibrate_options, drains.timeout_ns, NULL),
    ROW_SEED(struct calibrate_options, drains.seed),
    {.name = "--out",
     .letter = 'o',
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct calibrate_options, output.out),
     .value = "costs.json",
     .help = "  -o, --out FILE           new file for the costs [costs.json]\n"},
    ROW_JSON(struct calibrate_options),
    ROW_QUIET(struct calibrate_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static bool is_consistent(const struct calibrate_options *options)
{
    char value[32];
    if (options->target.topology_count > 1) {
        snprintf(value, sizeof value, "%zu numbers", options->target.topology_count);
        return complain_value("calibrate", "--servers", value,
                              "a file has the costs of one ensemble: give one number");
    }
    return drain_options_fit("calibrate", &options->drains) &&
           !target_conflicts("calibrate", &options->target, options->drains.processes);
}

int calibrate_command_line_parse(int argc, char **argv, struct calibrate_options *options)
{
    static const struct arguments arguments = {"calibrate", usage, rows, notes, NULL};
    *options =
        (struct calibrate_options){.target.max_clients = UINT64_MAX, .drains.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        calibrate_command_line_deinit(options);
    return status;
}

void calibrate_command_line_deinit(struct calibrate_options *options)
{
    target_options_deinit(&options->target);
    drain_options_deinit(&options->drains);
    *options = (struct calibrate_options){0};
}
