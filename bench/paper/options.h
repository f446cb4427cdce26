// SPDX-License-Identifier: Apache-2.0
/*
 * options: the options of an evaluation of the paper, and the rows that several evaluations have.
 * Layer: bench/paper.
 */
#ifndef BENCH_PAPER_OPTIONS_H
#define BENCH_PAPER_OPTIONS_H

#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "sim/sim.h"

struct paper_options {
    struct load_options load; /* the first member: rows of a load put their values there */
    struct levels barriers;   /* of table3 */
};

/* ------------------------------------------------------------------ rows */

#define PAPER_MEMBER(member) OPTION_MEMBER(struct load_options, member)

/* The last rows of every table, its end included. */
#define PAPER_ROWS_COMMON                                                                          \
    ROW_DRIVER(struct load_options), ROW_PROCESSES(struct load_options, processes),                \
        ROW_HEAP(struct load_options),                                                             \
        OPTION_ROW(.name = "--server-cpus", .parse = option_row_cpus,                              \
                   .member = PAPER_MEMBER(target.cpu_percent), .least = SERVER_CPU_MIN_PERCENT,    \
                   .help = "      --server-cpus X      cores that each private server may use "    \
                           "[an equal part\n"                                                      \
                           "                           of the cores that clients leave; table3: "  \
                           "no limit]\n"),                                                         \
        ROW_FSYNC(struct load_options), ROW_DATA(struct load_options),                             \
        ROW_CONNECT(struct load_options), ROWS_IDENTITY(struct load_options),                      \
        ROW_SESSION_TIMEOUT(struct load_options, session_timeout_ns),                              \
        ROW_TIMEOUT(struct load_options, timeout_ns), ROW_SEED(struct load_options, seed),         \
        ROWS_NOISE(struct load_options),                                                           \
        OPTION_ROW(.name = "--out", .letter = 'o', OPTION_FOLDER(struct load_options, output.out), \
                   .help = "  -o, --out DIR            new folder for the results "                \
                           "[results/TIME-paper]\n"),                                              \
        ROW_PLOTS(struct load_options), ROW_JSON(struct load_options),                             \
        ROW_QUIET(struct load_options),                                                            \
        OPTION_ROW_HELP("  -h, --help               print this help\n"), OPTION_ROW(0)

/* Numbers of private servers, or of simulated ones: struct evaluation has their default, too. */
#define PAPER_ROW_SERVERS(default_, simulated_)                                                    \
    OPTION_ROW(.name = "--servers", .parse = rows_simulated_topologies,                            \
               .member = PAPER_MEMBER(target), .given = PAPER_MEMBER(target.servers_given),        \
               .least = 1, .most = SIM_SERVERS_MAX, .value = default_,                             \
               .help = "      --servers LIST       numbers of private servers, 1 to 7 [" default_  \
                       "];\n"                                                                      \
                       "                           of simulated ones 1 to 13 [" simulated_ "]\n")

#define PAPER_ROW_SESSIONS(name_, value_, expected_, help_)                                        \
    OPTION_ROW(.name = name_, .letter = 'n', .parse = option_row_levels,                           \
               .member = PAPER_MEMBER(sessions), .least = 1, .most = FLEET_SESSIONS_MAX,           \
               .expected = expected_, .value = value_, .help = help_)

#define PAPER_ROWS_LOAD(duration_, warm_up_)                                                       \
    LOAD_ROW_SIZE("1024"), LOAD_ROW_DURATION(duration_), LOAD_ROW_WARM_UP(warm_up_),               \
        LOAD_ROW_TRIALS(2, "3")

/* ------------------------------------------------------------------ help */

#define PAPER_USAGE(name, text) "Usage: zkherd paper " name " [OPTION]...\n" text "\n"

#define PAPER_NOTES(examples)                                                                      \
    "\n"                                                                                           \
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"             \
    "\n"                                                                                           \
    "Examples:\n" examples

#endif
