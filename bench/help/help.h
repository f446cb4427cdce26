// SPDX-License-Identifier: Apache-2.0
/*
 * help: zkherd help: the help of each subcommand; and scripts with which shells complete a command
 * line, made of the options of all subcommands. Layer: bench/help.
 */
#ifndef BENCH_HELP_HELP_H
#define BENCH_HELP_HELP_H

#include "bench/cli/subcommands.h"

/* The topic of zkherd help beside the subcommands. */
#define HELP_SERVERS "servers"

/* argv[0] is "help"; the subcommands are those with a help of their own. Returns the exit status.
 */
int help_main(int argc, char **argv, const struct subcommand subcommands[]);

/* NULL behind the last. */
extern const char *const completion_shells[];

/* Prints the script for a shell, by its index. */
void completion_write(unsigned shell, const struct subcommand subcommands[]);

#endif
