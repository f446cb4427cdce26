// SPDX-License-Identifier: Apache-2.0
/*
 * shared_rows: the rows of options that the subcommands which run trials have in common: servers,
 * driver, output. Layer: bench/cli.
 *
 * Each macro is one row of a table (bench/cli/option_row.h). `type` is the subcommand's own struct,
 * which has a struct target_options called target and a struct output_options called output; what
 * follows `type` is the row's keys of the plan, NULL if there are none.
 */
#ifndef BENCH_CLI_SHARED_ROWS_H
#define BENCH_CLI_SHARED_ROWS_H

#include "base/clock.h"
#include "bench/cli/option_row.h"
#include "bench/cli/options.h"
#include "bench/cli/zookeeper_option.h"
#include "servers/ensemble.h"

/* Parsers: numbers of private servers, into a struct target_options; odd numbers of servers, which
 * may be simulated, into the same; a session's timeout, from least to most nanoseconds, into a
 * uint64_t. */
bool shared_rows_topologies(struct option_given *given);
bool shared_rows_simulated_topologies(struct option_given *given);
bool shared_rows_session_timeout(struct option_given *given);

/* Parser: how long a lock is held, into a struct hold. */
bool shared_rows_hold(struct option_given *given);

#define ROW_DRIVER(type)                                                                           \
    {                                                                                              \
        .name = "--driver", .letter = 'd',                                                         \
        OPTION_WORD(type, target.driver, options_drivers,                                          \
                    "expected events, threads or simulated"),                                      \
        .value = "events",                                                                         \
        .help =                                                                                    \
            "  -d, --driver NAME        events, threads, or simulated: all in memory [events]\n"   \
    }

#define ROW_COSTS(type)                                                                            \
    {                                                                                              \
        .name = "--costs", .parse = option_row_file, .member = OPTION_MEMBER(type, target.costs),  \
        .help = "      --costs FILE         simulated: with these costs (see zkherd calibrate)\n"  \
    }

#define ROW_PROCESSES(type, place, ...)                                                            \
    {                                                                                              \
        .name = "--processes", .letter = 'P', OPTION_NUMBER(type, place, 1, 1000), .value = "1",   \
        .help = "  -P, --processes P        spread the sessions over P processes [1]\n",           \
        .keys = __VA_ARGS__                                                                        \
    }

#define ROW_SERVERS(type)                                                                          \
    {                                                                                              \
        .name = "--servers", .parse = shared_rows_topologies,                                      \
        .member = OPTION_MEMBER(type, target), .given = OPTION_MEMBER(type, target.servers_given), \
        .least = 1, .most = ENSEMBLE_SERVERS_MAX, .value = "1",                                    \
        .help = "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3: both in turn "     \
                "[1]\n"                                                                            \
    }

#define ROW_ZOOKEEPER(type)                                                                        \
    {                                                                                              \
        .name = "--zookeeper", .parse = zookeeper_option_take,                                     \
        .member = OPTION_MEMBER(type, target),                                                     \
        .help = "      --zookeeper HOMES    releases that they run: folders; several: in turn\n"   \
    }

#define ROW_HEAP(type)                                                                             \
    {                                                                                              \
        .name = "--heap",                                                                          \
        OPTION_NUMBER(type, target.heap_mib, SERVER_HEAP_MIN_MIB, SERVER_HEAP_MAX_MIB),            \
        .given = OPTION_MEMBER(type, target.heap_given), .value = "512",                           \
        .help = "      --heap MIB           heap of each private server [512]\n"                   \
    }

#define ROW_SERVER_CPUS(type, ...)                                                                 \
    {                                                                                              \
        .name = "--server-cpus", .parse = option_row_cpus,                                         \
        .member = OPTION_MEMBER(type, target.cpu_percent), .least = SERVER_CPU_MIN_PERCENT,        \
        .help = "      --server-cpus X      cores that each private server may use, e.g. 0.25\n",  \
        .keys = __VA_ARGS__                                                                        \
    }

#define ROW_FSYNC(type)                                                                            \
    {                                                                                              \
        .name = "--fsync",                                                                         \
        OPTION_WORD(type, target.fsync, option_row_no_yes, "expected yes or no"),                  \
        .given = OPTION_MEMBER(type, target.fsync_given), .value = "yes",                          \
        .help = "      --fsync yes|no       whether their writes wait for the disk [yes]\n"        \
    }

#define ROW_DATA(type)                                                                             \
    {                                                                                              \
        .name = "--data", OPTION_FOLDER(type, target.data),                                        \
        .help = "      --data DIR           their data, in an empty or new folder [temporary]\n"   \
    }

#define ROW_CONNECT(type)                                                                          \
    {                                                                                              \
        .name = "--connect", OPTION_SERVERS(type, target.servers),                                 \
        .given = OPTION_MEMBER(type, target.connect),                                              \
        .help = "      --connect HOSTS[/CHROOT]  use these servers instead of private ones\n"      \
    }

#define ROW_PLACEMENT(type, ...)                                                                   \
    {                                                                                              \
        .name = "--placement",                                                                     \
        OPTION_WORD(type, target.placement, options_placements,                                    \
                    "expected spread, leader or followers"),                                       \
        .value = "spread",                                                                         \
        .help = "      --placement WHERE    connect to leader, followers, or spread [spread]\n",   \
        .keys = __VA_ARGS__                                                                        \
    }

#define ROW_SESSION_TIMEOUT(type, place, ...)                                                      \
    {                                                                                              \
        .name = "--session-timeout", .parse = shared_rows_session_timeout,                         \
        .member = OPTION_MEMBER(type, place), .least = NS_PER_S, .most = 3600 * NS_PER_S,          \
        .value = "60s", .help = "      --session-timeout D  requested by each session [60s]\n",    \
        .keys = __VA_ARGS__                                                                        \
    }

#define ROW_TIMEOUT(type, place, ...)                                                              \
    {                                                                                              \
        .name = "--timeout", OPTION_DURATION(type, place, 100 * NS_PER_MS), .value = "30s",        \
        .help = "      --timeout D          abort a trial after D without progress [30s]\n",       \
        .keys = __VA_ARGS__                                                                        \
    }

/* JSON has no larger integer. */
#define ROW_SEED(type, place)                                                                      \
    {                                                                                              \
        .name = "--seed", OPTION_NUMBER(type, place, 0, INT64_MAX),                                \
        .help = "      --seed S             of the order of trials and of random times "           \
                "[clock]\n"                                                                        \
    }

#define ROW_OUT(type)                                                                              \
    {                                                                                              \
        .name = "--out", .letter = 'o', OPTION_FOLDER(type, output.out),                           \
        .help = "  -o, --out DIR            new folder for the results [results/TIME-TARGET]\n"    \
    }

#define ROW_PLOTS(type)                                                                            \
    {                                                                                              \
        .name = "--plots", OPTION_PLOTS(type, output.plots), .value = "svg,png",                   \
        .help = "      --plots FORMATS      svg, png, pdf, eps [svg,png]\n"                        \
    }

#define ROW_JSON(type)                                                                             \
    {                                                                                              \
        .name = "--json", OPTION_FLAG(type, output.json),                                          \
        .help = "      --json               print JSON in place of the table\n"                    \
    }

#define ROW_METRICS(type)                                                                          \
    {                                                                                              \
        .name = "--metrics", OPTION_NUMBER(type, output.metrics_port, 1, 65535),                   \
        .help = "      --metrics PORT       tell Prometheus meanwhile: 127.0.0.1:PORT/metrics\n"   \
    }

#define ROW_QUIET(type)                                                                            \
    {                                                                                              \
        .name = "--quiet", .letter = 'q', OPTION_FLAG(type, output.quiet),                         \
        .help = "  -q, --quiet              print only errors and failed verdicts\n"               \
    }

#endif
