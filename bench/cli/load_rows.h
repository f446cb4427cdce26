// SPDX-License-Identifier: Apache-2.0
/*
 * load_rows: the rows of options that the subcommands which send loads have in common. Layer:
 * bench/cli.
 *
 * Each macro is one row of a table (bench/cli/option_row.h) whose options are a struct
 * load_options; default_ is the default, as a user would type it.
 */
#ifndef BENCH_CLI_LOAD_ROWS_H
#define BENCH_CLI_LOAD_ROWS_H

#include "base/clock.h"
#include "bench/cli/load_options.h"
#include "bench/cli/option_row.h"
#include "client/client.h"
#include "load/plan.h"

#define LOAD_ROWS_SESSIONS_MAX 100000
/* Servers take packets of 1 MiB less a byte (jute.maxbuffer), path and header included. */
#define LOAD_ROWS_VALUE_BYTES_MAX 1000000

/* Parsers: a list of numbers from least to most, into a struct load_levels; the same into a struct
 * client_counts; whole seconds, of at most `most` nanoseconds, into a uint64_t. */
bool load_rows_levels(struct option_given *given);
bool load_rows_sessions(struct option_given *given);
bool load_rows_seconds(struct option_given *given);

#define LOAD_ROW_DEPTH(default_)                                                                   \
    {                                                                                              \
        .name = "--depth", OPTION_NUMBER(struct load_options, depth, 1, LOAD_DEPTH_MAX),           \
        .value = default_,                                                                         \
        .help = "      --depth K            operations outstanding of each session, at most "      \
                "[" default_ "]\n"                                                                 \
    }

#define LOAD_ROW_SIZE(default_)                                                                    \
    {                                                                                              \
        .name = "--size",                                                                          \
        OPTION_NUMBER(struct load_options, value_bytes, 0, LOAD_ROWS_VALUE_BYTES_MAX),             \
        .value = default_,                                                                         \
        .help = "      --size BYTES         of each value, at most 1000000 [" default_ "]\n"       \
    }

#define LOAD_ROW_DURATION(default_)                                                                \
    {                                                                                              \
        .name = "--duration", .parse = load_rows_seconds,                                          \
        .member = OPTION_MEMBER(struct load_options, duration_ns), .least = NS_PER_S,              \
        .most = LOAD_SECONDS_MAX * NS_PER_S, .value = default_,                                    \
        .help = "      --duration D         measured, in whole seconds [" default_ "]\n"           \
    }

#define LOAD_ROW_WARM_UP(default_)                                                                 \
    {                                                                                              \
        .name = "--warm-up", OPTION_DURATION(struct load_options, warm_up_ns, 0),                  \
        .value = default_,                                                                         \
        .help = "      --warm-up D          before it, under the same load, not measured "         \
                "[" default_ "]\n"                                                                 \
    }

#define LOAD_ROW_TRIALS(least_, default_)                                                          \
    {                                                                                              \
        .name = "--trials", .letter = 't',                                                         \
        OPTION_NUMBER(struct load_options, trials, least_, 1000), .value = default_,               \
        .help = "  -t, --trials K           of each combination [" default_ "]\n"                  \
    }

#endif
