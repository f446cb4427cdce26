// SPDX-License-Identifier: Apache-2.0
/*
 * command_line: the command line of `zkherd run`. Layer: bench/run.
 *
 * Invariant: options that were parsed can be run: contradictory options are refused.
 */
#ifndef BENCH_RUN_COMMAND_LINE_H
#define BENCH_RUN_COMMAND_LINE_H

#include "bench/cli/options.h"

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to options_deinit. Else the exit status: the help is printed, or the mistake has been
 * complained about. */
int command_line_parse(int argc, char **argv, struct options *options);

#endif
