// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include "base/clock.h"
#include "bench/arguments.h"
#include "bench/contradictions.h"
#include "bench/values.h"

#include <stdlib.h>

/* Steady, when neither --handoffs nor --duration is given: each client is granted this often. */
#define ROUNDS_DEFAULT 10

static const char help[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and hold\n"
    "the counts against their laws. Writes CSV files, histograms, fits and plots.\n"
    "\n"
    "  -r, --recipes LIST       recipes (see zkherd recipes), NAME or NAME:MOST to stop at so\n"
    "                           many clients [nonscalable,childwatch,scalable]\n"
    "  -n, --clients LIST       client sessions: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n"
    "  -w, --workload KIND      drain: each acquires once; steady: queue again [drain]\n"
    "      --handoffs N         steady: grants in all [10 for each client]\n"
    "      --duration D         steady: or queue again for this long\n"
    "  -p, --pace PACE          lockstep: one step at a time, exact; free: at once [lockstep]\n"
    "      --hold D             hold the lock so long; exp:D for exponential times [0]\n"
    "  -k, --locks M            spread the clients over M locks [1]\n"
    "  -t, --trials K           trials of each cell [5]\n"
    "  -d, --driver NAME        events: one event loop a process; threads: a thread for each\n"
    "                           session, with synchronous calls; simulated: servers and\n"
    "                           sessions in memory, up to 100000 of them [events]\n"
    "  -P, --processes P        spread the sessions over P processes [1]\n"
    "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3 tries both in one plan [1]\n"
    "      --heap MIB           of each private server [512]\n"
    "      --fsync yes|no       whether their writes wait for the disk [yes]\n"
    "      --data DIR           where they keep their data: empty, or not there yet [TMPDIR]\n"
    "      --connect HOSTS[/CHROOT]  servers to use instead of private ones\n"
    "      --placement WHERE    sessions go to spread (all servers in turn), leader or\n"
    "                           followers [spread]\n"
    "      --session-timeout D  of the sessions [60s]\n"
    "      --timeout D          give up when nothing moves for so long [30s]\n"
    "      --seed S             of the order of the cells and of random times [from the clock]\n"
    "  -o, --out DIR            results, a folder that does not exist yet [results/TIME-TARGET]\n"
    "  -q, --quiet              print nothing but errors and failed verdicts\n"
    "  -h, --help               this help\n"
    "\n"
    "Durations take units: 50us, 2ms, 30s, 5m. Exit status: 0 done, every verdict holds;\n"
    "1 a verdict fails; 2 wrong usage; 3 the environment; 4 the measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect, on a private server\n"
    "  zkherd run -r scalable -n 5000 -t 1          five thousand in one queue\n"
    "  zkherd run -p free -n 100 --hold exp:5ms     real contention, random holding times\n"
    "  zkherd run --servers 1,3                     standalone against an ensemble\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  servers of your own\n";

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
    {"placement", required_argument, NULL, OPTION_PLACEMENT},
    {"session-timeout", required_argument, NULL, OPTION_SESSION_TIMEOUT},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"out", required_argument, NULL, OPTION_OUT},
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
        .session_timeout_ns = 60 * NS_PER_S,
        .timeout_ns = 30 * NS_PER_S,
        .seed = clock_utc_ns(),
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

int options_parse(int argc, char **argv, struct options *options)
{
    static const struct arguments arguments = {"run", help, ":r:n:w:p:k:t:d:P:o:qh", long_options,
                                               take};
    set_defaults(options);
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && (!fill_in_lists(options) || contradictions_found(options)))
        status = fault_exit_status(FAULT_USAGE);
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}

void options_deinit(struct options *options)
{
    free(options->clients);
    free(options->server_counts);
    options->clients = options->server_counts = NULL;
}

const char *options_driver_word(enum driver driver)
{
    static const char *const words[] = {
        [DRIVER_EVENTS] = "events",
        [DRIVER_THREADS] = "threads",
        [DRIVER_SIMULATED] = "simulated",
    };
    return words[driver];
}

const char *options_placement_word(enum placement placement)
{
    static const char *const words[] = {
        [PLACEMENT_SPREAD] = "spread",
        [PLACEMENT_LEADER] = "leader",
        [PLACEMENT_FOLLOWERS] = "followers",
    };
    return words[placement];
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->handoffs != 0 || options->duration_ns != 0)
        return options->handoffs;
    return clients * ROUNDS_DEFAULT;
}
