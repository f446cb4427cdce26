// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of zkherd help share: scripts with which shells complete a command line,
 * made of the options of all subcommands. Layer: bench/help.
 */
#ifndef BENCH_HELP_INTERNAL_H
#define BENCH_HELP_INTERNAL_H

#include "bench/help/help.h"

/* The topic beside the subcommands. */
#define HELP_SERVERS "servers"

/* NULL behind the last. */
extern const char *const completion_shells[];

/* Prints the script for a shell, by its index. */
void completion_write(unsigned shell, const struct subcommand subcommands[]);

#endif
