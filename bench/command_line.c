// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include "base/clock.h"
#include "bench/arguments.h"
#include "bench/contradictions.h"
#include "bench/plots.h"
#include "bench/values.h"

static const char help[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and\n"
    "check the counts against their laws. Writes CSV files, histograms, fits, plots.\n"
    "\n"
    "  -r, --recipes LIST       names (see zkherd recipes); NAME:MOST skips client\n"
    "                           counts above MOST [nonscalable,childwatch,scalable]\n"
    "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n"
    "  -w, --workload KIND      drain: each client acquires once; steady: each queues\n"
    "                           again after its release [drain]\n"
    "      --handoffs N         steady: N grants in all [10 per client]\n"
    "      --duration D         steady: run for D instead\n"
    "  -p, --pace PACE          lockstep: one step at a time, exact counts; free: all\n"
    "                           clients at once, real contention [lockstep]\n"
    "      --hold D             hold the lock for D; exp:D: exponential, mean D [0]\n"
    "  -k, --locks M            spread the clients over M locks [1]\n"
    "  -t, --trials K           trials of each recipe at each client count [5]\n"
    "  -d, --driver NAME        events: one event loop per process; threads: a thread\n"
    "                           per session; simulated: servers and sessions in\n"
    "                           memory [events]\n"
    "  -P, --processes P        spread the sessions over P processes [1]\n"
    "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3: both in turn [1]\n"
    "      --heap MIB           heap of each private server [512]\n"
    "      --fsync yes|no       whether their writes wait for the disk [yes]\n"
    "      --data DIR           their data, in an empty or new folder [temporary]\n"
    "      --connect HOSTS[/CHROOT]  use these servers instead of private ones\n"
    "      --max-clients N      skip client counts above N\n"
    "      --max-rate R         send at most R requests per second on average\n"
    "      --placement WHERE    connect to leader, followers, or spread [spread]\n"
    "      --session-timeout D  requested by each session [60s]\n"
    "      --timeout D          abort a trial after D without progress [30s]\n"
    "      --seed S             of the order of trials and of random times [clock]\n"
    "  -o, --out DIR            new folder for the results [results/TIME-TARGET]\n"
    "      --plots FORMATS      svg, png, pdf, eps [svg,png]\n"
    "  -q, --quiet              print only errors and failed verdicts\n"
    "  -h, --help               print this help\n"
    "\n"
    "Durations D need a unit: 50us, 2ms, 30s, 5m. Exit status: 0 done, every verdict\n"
    "holds; 1 a verdict fails; 2 wrong usage; 3 the environment; 4 the measurement is\n"
    "not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect\n"
    "  zkherd run -r scalable -n 5000 -t 1          5000 clients in one queue\n"
    "  zkherd run -p free -n 100 --hold exp:5ms     real contention\n"
    "  zkherd run --servers 1,3                     one server against three\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  existing servers\n";

static const struct option long_options[] = {
    {"recipes", required_argument, NULL, OPTION_RECIPES},
    {"clients", required_argument, NULL, OPTION_CLIENTS},
    {"workload", required_argument, NULL, OPTION_WORKLOAD},
    {"handoffs", required_argument, NULL, OPTION_HANDOFFS},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"pace", required_argument, NULL, OPTION_PACE},
    {"hold", required_argument, NULL, OPTION_HOLD},
    {"locks", required_argument, NULL, OPTION_LOCKS},
    {"trials", required_argument, NULL, OPTION_TRIALS},
    {"driver", required_argument, NULL, OPTION_DRIVER},
    {"processes", required_argument, NULL, OPTION_PROCESSES},
    {"connect", required_argument, NULL, OPTION_CONNECT},
    {"servers", required_argument, NULL, OPTION_SERVERS},
    {"heap", required_argument, NULL, OPTION_HEAP},
    {"fsync", required_argument, NULL, OPTION_FSYNC},
    {"data", required_argument, NULL, OPTION_DATA},
    {"max-clients", required_argument, NULL, OPTION_MAX_CLIENTS},
    {"max-rate", required_argument, NULL, OPTION_MAX_RATE},
    {"placement", required_argument, NULL, OPTION_PLACEMENT},
    {"session-timeout", required_argument, NULL, OPTION_SESSION_TIMEOUT},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"out", required_argument, NULL, OPTION_OUT},
    {"plots", required_argument, NULL, OPTION_PLOTS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, OPTION_HELP},
    {0},
};

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .locks = 1,
        .trials = 5,
        .processes = 1,
        .heap_mib = 512,
        .fsync = true,
        .max_clients = UINT64_MAX,
        .session_timeout_ns = 60 * NS_PER_S,
        .timeout_ns = 30 * NS_PER_S,
        .seed = clock_utc_ns(),
        .plots = PLOTS_FORMATS_DEFAULT,
    };
}

static bool fill_in_lists(struct options *options)
{
    options->servers_given = options->server_counts != NULL;
    return (options->recipe_count > 0 ||
            values_take(OPTION_RECIPES, "nonscalable,childwatch,scalable", options)) &&
           (options->clients != NULL || values_take(OPTION_CLIENTS, "8..256x2", options)) &&
           (options->server_counts != NULL || values_take(OPTION_SERVERS, "1", options));
}

static bool take(int option, const char *value, void *context)
{
    return values_take((enum option_name)option, value, context);
}

int command_line_parse(int argc, char **argv, struct options *options)
{
    static const struct arguments arguments = {"run", help, ":r:n:w:p:k:t:d:P:o:qh", long_options,
                                               take};
    set_defaults(options);
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && (!fill_in_lists(options) || contradictions_found(options)))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}
