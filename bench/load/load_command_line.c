// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load_command_line.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/model/costs_file.h"
#include "bench/target/target.h"
#include "load/load.h"

#include <stdio.h>
#include <string.h>

#define ZNODES_MAX 1000000

/* ------------------------------------------------------------------ parsers */

static bool parse_mix(struct option_given *given)
{
    return mix_parse(given->value, option_row_place(given), given->why, sizeof given->why);
}

static bool parse_znodes(struct option_given *given)
{
    uint32_t *znodes = option_row_place(given);
    *znodes = 0;
    return strcmp(given->value, "own") == 0 || option_row_number(given);
}

/* ------------------------------------------------------------------ the rows */

#define MEMBER(member) OPTION_MEMBER(struct load_options, member)

static const struct option_row rows[] = {
    {.name = "--mix",
     .letter = 'm',
     .parse = parse_mix,
     .member = MEMBER(mix),
     .given = MEMBER(mix_given),
     .value = "get=80,set=20",
     .help = "  -m, --mix LIST           percent of get, exists, children, set, create,\n"
             "                           delete, multi, trylock, create-delete [get=80,set=20]\n"},
    {.name = "--reads",
     .parse = option_row_levels,
     .member = MEMBER(reads),
     .most = 100,
     .expected = "expected percents from 0 to 100, such as 80 or 0..100+20",
     .help = "      --reads LIST         instead: percent get, the rest set; 0..100+20\n"},
    {.name = "--sessions",
     .letter = 'n',
     .parse = option_row_levels,
     .member = MEMBER(sessions),
     .least = 1,
     .most = LOAD_ROWS_SESSIONS_MAX,
     .expected = "expected at most 4096 numbers from 1 to 100000, such as 10,20 or 8..256x2",
     .value = "20",
     .help = "  -n, --sessions LIST      numbers of sessions [20]\n"},
    LOAD_ROW_DEPTH("1"),
    {.name = "--rate",
     .letter = 'r',
     .parse = option_row_levels,
     .member = MEMBER(rates),
     .least = 1,
     .most = 10000000,
     .expected = "expected operations a second from 1 to 10000000, such as 5000 or 1000..8000x2",
     .help = "  -r, --rate LIST          operations a second offered by all sessions together\n"
             "                           [closed loop: each reply is followed by a request]\n"},
    {.name = "--arrivals",
     OPTION_WORD(struct load_options, poisson, load_options_arrivals,
                 "expected constant or poisson"),
     .given = MEMBER(arrivals_given),
     .value = "constant",
     .help = "      --arrivals KIND      of a rate: constant or poisson [constant]\n"},
    LOAD_ROW_SIZE("1024"),
    {.name = "--znodes",
     .parse = parse_znodes,
     .member = MEMBER(znodes),
     .least = 1,
     .most = ZNODES_MAX,
     .expected = "expected own, or how many znodes all sessions share, at most 1000000",
     .value = "own",
     .help = "      --znodes own|N       data: one znode per session, or N shared by all [own]\n"},
    {.name = "--watch",
     OPTION_NUMBER(struct load_options, watch_percent, 0, 100),
     .expected = "expected a percentage from 0 to 100",
     .value = "0",
     .help = "      --watch PERCENT      of gets and exists leave a watch on the znode's data,\n"
             "                           and the notifications of each write are timed [0]\n"},
    LOAD_ROW_DURATION("10s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(1, "3"),
    ROW_DRIVER(struct load_options),
    ROW_COSTS(struct load_options),
    ROW_PROCESSES(struct load_options, processes),
    ROW_SERVERS(struct load_options),
    ROW_ZOOKEEPER(struct load_options),
    ROW_HEAP(struct load_options),
    ROW_SERVER_CPUS(struct load_options),
    ROW_FSYNC(struct load_options),
    ROW_DATA(struct load_options),
    ROW_CONNECT(struct load_options),
    ROW_PLACEMENT(struct load_options),
    ROW_SESSION_TIMEOUT(struct load_options, session_timeout_ns),
    ROW_TIMEOUT(struct load_options, timeout_ns),
    ROW_SEED(struct load_options, seed),
    ROW_OUT(struct load_options),
    ROW_PLOTS(struct load_options),
    ROW_METRICS(struct load_options),
    ROW_JSON(struct load_options),
    ROW_QUIET(struct load_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static const char usage[] =
    "Usage: zkherd load [OPTION]...\n"
    "Send a mix of requests to ZooKeeper, in a closed loop or at an offered rate;\n"
    "time every request from when it was due and from when it was sent; count all of\n"
    "them as the servers do. Each LIST makes trials of each of its values.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: 0 done; 1 the servers\n"
    "counted otherwise; 2 wrong usage; 3 the environment; 4 the measurement is not\n"
    "valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd load --reads 0..100+20 -n 50 --depth 100   throughput against reads\n"
    "  zkherd load -r 1000..16000x2 --arrivals poisson   latency against offered rate\n"
    "  zkherd load -n 100 --znodes 1 --watch 100         fan-out of notifications\n";

/* ------------------------------------------------------------------ what does not fit together */

static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("load", option, value, why);
}

static bool reads_data(const struct load_options *options)
{
    for (size_t i = 0; i < load_options_mixes(options); i++) {
        const struct mix mix = load_options_mix(options, i);
        if (mix.percent[LOAD_GET] + mix.percent[LOAD_EXISTS] > 0)
            return true;
    }
    return false;
}

/* Each session remembers a version of each znode that it may watch. */
static bool can_watch(const struct load_options *options)
{
    char value[32], why[160];
    uint64_t sessions = options->sessions.list[options->sessions.count - 1];
    snprintf(value, sizeof value, "%u", options->watch_percent);
    if (options->watch_percent == 0)
        return true;
    if (!reads_data(options))
        return wrong("--watch", value, "get and exists leave watches, and the mix has neither");
    if (options->znodes == 0 || sessions * options->znodes <= FAN_OUT_WATCHED_MAX)
        return true;
    snprintf(why, sizeof why,
             "%llu sessions of %u znodes each are too many to remember: at most %llu together",
             (unsigned long long)sessions, options->znodes,
             (unsigned long long)FAN_OUT_WATCHED_MAX);
    return wrong("--watch", value, why);
}

static bool is_consistent(const struct load_options *options)
{
    char value[32], why[64];
    if (options->mix_given && options->reads.count > 0)
        return wrong("--reads", "with --mix", "give only one of them");
    if (options->arrivals_given && options->rates.count == 0)
        return wrong("--arrivals", load_options_arrivals[options->poisson],
                     "in a closed loop, replies decide: add --rate");
    if (options->processes > options->sessions.list[0]) {
        snprintf(value, sizeof value, "%u", options->processes);
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)options->sessions.list[0]);
        return wrong("--processes", value, why);
    }
    return can_watch(options) && !target_conflicts("load", &options->target, options->processes);
}

int load_command_line_parse(int argc, char **argv, struct load_options *options)
{
    static const struct arguments arguments = {"load", usage, rows, notes, NULL};
    *options = (struct load_options){.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO)
        status = costs_file_take_option("load", &options->target, options->output.quiet);
    if (status != ARGUMENTS_GO)
        load_options_deinit(options);
    return status;
}
