// SPDX-License-Identifier: Apache-2.0
/*
 * help: zkherd help: the help of each subcommand. Layer: bench/help.
 */
#ifndef BENCH_HELP_HELP_H
#define BENCH_HELP_HELP_H

#include "bench/cli/subcommands.h"

/* argv[0] is "help"; the subcommands are those with a help of their own. Returns the exit status.
 */
int help_main(int argc, char **argv, const struct subcommand subcommands[]);

#endif
