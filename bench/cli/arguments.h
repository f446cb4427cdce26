// SPDX-License-Identifier: Apache-2.0
/*
 * arguments: the command line of a subcommand, taken option by option. Layer: bench/cli.
 *
 * Invariant: a mistake is reported once, before the work begins.
 */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "bench/cli/option_row.h"

/* No exit status: the command line is right, and the work can begin. */
#define ARGUMENTS_GO (-1)

/* The command line of a subcommand; constant. */
struct arguments {
    const char *subcommand;
    const char *usage;              /* the help before the options */
    const struct option_row *rows;  /* all options; fewer than 64 */
    const char *notes;              /* the help behind them */
    const struct option_row *shown; /* the options of the help; NULL: these rows */
};

/*
 * Puts the defaults of all rows into *options, the subcommand's own struct, then takes all options
 * of argv[1] … in their order. Returns ARGUMENTS_GO; or the exit status, if the help has been
 * printed, a mistake has been reported, or there is no memory for a default. Moves the operands
 * behind the options, and puts the index of the first operand into *first. With first NULL no
 * operand is allowed.
 */
int arguments_take(const struct arguments *arguments, int argc, char **argv, void *options,
                   int *first);

/* Prints the help to stdout. */
void arguments_write_help(const struct arguments *arguments);

#endif
