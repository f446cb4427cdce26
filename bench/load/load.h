// SPDX-License-Identifier: Apache-2.0
/*
 * load: the command line and the table of `zkherd load`. Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include "bench/cli/options.h"
#include "measure/table.h"
#include "relay/replay.h"

#include <stdio.h>

#define REPLAY_OPERATION_COLUMNS(X, T)                                                             \
    X(T, operation, TEXT, "", 0, KEY,                                                              \
      "ZooKeeper's name of the operation; or `notification` and what had happened")                \
    X(T, recorded, COUNT, "", 0, SUM, "requests or notifications in the recording")                \
    X(T, replayed, COUNT, "", 0, SUM, "likewise in the replay")                                    \
    X(T, recorded_failed, COUNT, "", 0, SUM, "recorded replies with an error")                     \
    X(T, replayed_failed, COUNT, "", 0, SUM, "replies to the replay with an error")                \
    X(T, equal, COUNT, "", 0, SUM, "replies with the error code that was recorded")                \
    X(T, differ, COUNT, "", 0, SUM, "replies with another one")                                    \
    X(T, recorded_p50_us, REAL, "us", 1, NONE, "median of the recorded latency")                   \
    X(T, replayed_p50_us, REAL, "us", 1, NONE, "median of the latency in the replay")              \
    X(T, recorded_p99_us, REAL, "us", 1, NONE, "99th percentile of the recorded latency")          \
    X(T, replayed_p99_us, REAL, "us", 1, NONE, "99th percentile of the latency in the replay")
TABLE_DECLARE(replay_operation, REPLAY_OPERATION_COLUMNS);

#define REPLAY_DIFFERENCE_COLUMNS(X, T)                                                            \
    X(T, at_s, REAL, "s", 6, NONE, "when it was requested, from the start of the recording")       \
    X(T, connection, COUNT, "", 0, NONE, "number of its connection in the recording, from 0")      \
    X(T, operation, TEXT, "", 0, KEY, "ZooKeeper's name of the operation")                         \
    X(T, recorded, TEXT, "", 0, KEY,                                                               \
      "the recorded error (KeeperException.Code), or `none`; of a transaction that of the first "  \
      "part that failed")                                                                          \
    X(T, replayed, TEXT, "", 0, KEY, "the error in the replay")                                    \
    X(T, path, TEXT, "", 0, NONE, "the path, without the root of the replay")
TABLE_DECLARE(replay_difference, REPLAY_DIFFERENCE_COLUMNS);

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to load_options_deinit. Else the exit status: the help is printed, or the mistake has
 * been complained about. */
int load_command_line_parse(int argc, char **argv, struct load_options *options);

/* Writes the table, with a row for each cell, for a terminal of so many columns; a mix that all
 * rows share is on a line above. A column without a value in any row is left out, and so are, if
 * the table is too wide, first errors that are 0, then the interval, the service time and errors.
 */
void load_table_write(const struct table *rows, const struct load_options *options,
                      unsigned columns, FILE *stream);

/* `zkherd load --replay`: the whole. Returns the exit status. */
int load_replay(const struct load_options *options, int argc, char **argv);

#endif
