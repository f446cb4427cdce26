// SPDX-License-Identifier: Apache-2.0
/*
 * load_command_line: the command line of `zkherd load`. Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_COMMAND_LINE_H
#define BENCH_LOAD_LOAD_COMMAND_LINE_H

#include "bench/cli/options.h"

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to load_options_deinit. Else the exit status: the help is printed, or the mistake has
 * been complained about. */
int load_command_line_parse(int argc, char **argv, struct load_options *options);

#endif
