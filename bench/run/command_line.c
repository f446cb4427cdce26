// SPDX-License-Identifier: Apache-2.0
#include "bench/run/command_line.h"

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/arguments.h"
#include "bench/cli/option_table.h"
#include "bench/model/costs_file.h"
#include "bench/run/contradictions.h"

static const char usage[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and\n"
    "check the counts against their laws. Writes CSV files, histograms, fits, plots.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 50us, 2ms, 30s, 5m. Exit status: 0 done; 1 a verdict\n"
    "fails; 2 wrong usage; 3 the environment; 4 the measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect\n"
    "  zkherd run -r scalable -n 5000 -t 1          5000 clients in one queue\n"
    "  zkherd run --servers 1,3                     one server against three\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  existing servers\n";

int command_line_parse(int argc, char **argv, struct options *options)
{
    static const struct arguments arguments = {"run", usage, option_table, notes, NULL};
    *options = (struct options){.target.max_clients = UINT64_MAX, .plan.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && contradictions_found(options))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO)
        status = costs_file_take_option("run", &options->target, options->output.quiet);
    options->target.companions = options->plan.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}
