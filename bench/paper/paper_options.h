// SPDX-License-Identifier: Apache-2.0
/*
 * paper_options: the options of `zkherd paper`, what the evaluations have in common of them, and
 * the rows that they share. Layer: bench/paper.
 *
 * Each evaluation has rows of its own (bench/paper/experiment.h), and the same struct.
 */
#ifndef BENCH_PAPER_PAPER_OPTIONS_H
#define BENCH_PAPER_PAPER_OPTIONS_H

#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "sim/sim_options.h"

#include <jansson.h>
#include <stdbool.h>

struct paper_options {
    struct load_options load; /* the first member: rows of a load put their values there */
    struct levels barriers;   /* of table3 */
    json_t *experiments; /* of --json, the caller's list, to which a result is added; NULL: text */
};

/* The rows that all evaluations have. */
#define PAPER_ROWS_COMMON                                                                          \
    PAPER_ROWS_ON(ROW_DRIVER(struct load_options), ROW_CONNECT(struct load_options), "60s")

/* The same, with other rows of the driver and of --connect, and another default of the session
 * timeout. */
#define PAPER_ROWS_ON(driver_, connect_, timeout_)                                                 \
    driver_, ROW_PROCESSES(struct load_options, processes), ROW_HEAP(struct load_options),         \
        {.name = "--server-cpus",                                                                  \
         .parse = option_row_cpus,                                                                 \
         .member = OPTION_MEMBER(struct load_options, target.cpu_percent),                         \
         .least = SERVER_CPU_MIN_PERCENT,                                                          \
         .help = "      --server-cpus X      cores that each private server may use [its part "    \
                 "of\n"                                                                            \
                 "                           those that the driver leaves; table3: no limit]\n"},  \
        ROW_FSYNC(struct load_options), ROW_DATA(struct load_options), connect_,                   \
        {.name = "--session-timeout",                                                              \
         .parse = option_row_duration,                                                             \
         .member = OPTION_MEMBER(struct load_options, session_timeout_ns),                         \
         .least = NS_PER_S,                                                                        \
         .most = 3600 * NS_PER_S,                                                                  \
         .expected = "expected at most an hour",                                                   \
         .value = timeout_,                                                                        \
         .help = "      --session-timeout D  requested by each session [" timeout_ "]\n"},         \
        ROW_TIMEOUT(struct load_options, timeout_ns), ROW_SEED(struct load_options, seed),         \
        {.name = "--out",                                                                          \
         .letter = 'o',                                                                            \
         OPTION_FOLDER(struct load_options, output.out),                                           \
         .help = "  -o, --out DIR            new folder for the results [results/TIME-paper]\n"},  \
        ROW_PLOTS(struct load_options), ROW_JSON(struct load_options),                             \
        ROW_QUIET(struct load_options),                                                            \
        OPTION_ROW_HELP("  -h, --help               print this help\n"),                           \
    {                                                                                              \
        0                                                                                          \
    }

/* Numbers of private servers, or of simulated ones; simulated_ is that of struct paper_command. */
#define PAPER_ROW_SERVERS(default_, simulated_)                                                    \
    {                                                                                              \
        .name = "--servers", .parse = rows_simulated_topologies,                                   \
        .member = OPTION_MEMBER(struct load_options, target),                                      \
        .given = OPTION_MEMBER(struct load_options, target.servers_given), .least = 1,             \
        .most = SIM_SERVERS_MAX, .value = default_,                                                \
        .help = "      --servers LIST       numbers of private servers, 1 to 7 [" default_ "];\n"  \
                "                           of simulated ones 1 to 13 [" simulated_ "]\n"          \
    }

/* One number of sessions; a list is for paper_options_sessions_are_one to refuse. */
#define PAPER_ROW_SESSIONS                                                                         \
    {                                                                                              \
        .name = "--sessions", .letter = 'n', .parse = option_row_levels,                           \
        .member = OPTION_MEMBER(struct load_options, sessions), .least = 1,                        \
        .most = LOAD_ROWS_SESSIONS_MAX, .expected = "expected a whole number from 1 to 100000",    \
        .value = "60", .help = "  -n, --sessions N         the paper: 250 [60]\n"                  \
    }

/* The command line of an evaluation; constant. */
struct paper_command {
    struct arguments arguments;
    const char *simulated; /* the default numbers of simulated servers */
    bool compares_servers; /* needs two numbers of private or simulated servers, or more */
    bool (*is_consistent)(const struct paper_options *options); /* complains; NULL: always */
};

/* Whether --sessions is one number; complains if not. */
bool paper_options_sessions_are_one(const char *subcommand, const struct paper_options *options);

/* Frees the lists. */
void paper_options_deinit(struct paper_options *options);

/* Parses argv[1] …. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns *options, to
 * paper_options_deinit. Else the exit status: the help is printed, or the mistake has been
 * complained about. With --connect the only number of servers is that of the servers named. */
int paper_options_parse(const struct paper_command *command, int argc, char **argv,
                        struct paper_options *options);

#endif
