// SPDX-License-Identifier: Apache-2.0
/*
 * paper_options: the command line of `zkherd paper`. Layer: bench/paper.
 *
 * Its options are those of a load in a closed loop, with one number of sessions, two topologies of
 * servers or more, and shares of reads from 0 to 100 percent.
 */
#ifndef BENCH_PAPER_PAPER_OPTIONS_H
#define BENCH_PAPER_PAPER_OPTIONS_H

#include "bench/cli/load_options.h"

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to load_options_deinit. Else the exit status: the help is printed, or the mistake has
 * been complained about. */
int paper_options_parse(int argc, char **argv, struct load_options *options);

#endif
