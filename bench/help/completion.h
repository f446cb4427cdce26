// SPDX-License-Identifier: Apache-2.0
/*
 * completion: scripts with which shells complete a command line, made of the options of all
 * subcommands. Layer: bench/help.
 */
#ifndef BENCH_HELP_COMPLETION_H
#define BENCH_HELP_COMPLETION_H

#include "bench/cli/subcommands.h"

/* The topic of zkherd help beside the subcommands. */
#define HELP_SERVERS "servers"

/* NULL behind the last. */
extern const char *const completion_shells[];

/* Prints the script for a shell, by its index. */
void completion_write(unsigned shell, const struct subcommand subcommands[]);

#endif
