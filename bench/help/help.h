// SPDX-License-Identifier: Apache-2.0
/*
 * help: zkherd help: the help of each subcommand, and short answers to questions. Layer:
 * bench/help.
 */
#ifndef BENCH_HELP_HELP_H
#define BENCH_HELP_HELP_H

#include <stddef.h>

struct subcommand {
    const char *name;
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

/* argv[0] is "help"; the subcommands are those with a help of their own. Returns the exit status.
 */
int help_main(int argc, char **argv, const struct subcommand subcommands[], size_t count);

#endif
