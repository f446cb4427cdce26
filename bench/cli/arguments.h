// SPDX-License-Identifier: Apache-2.0
/*
 * arguments: the command line of a subcommand, taken option by option. Layer: bench/cli.
 *
 * Invariant: what is wrong with it has been complained about once, before anything was begun.
 */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "client/connect.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* No exit status: the work is to begin. */
#define ARGUMENTS_GO (-1)

/* What a subcommand takes: the same for all its runs. */
struct arguments {
    const char *subcommand;
    const char *help;             /* what -h and --help print */
    const char *letters;          /* of the options, as getopt has them, ':' in front; h is one */
    const struct option *options; /* by name; those without a letter are above UCHAR_MAX */
    /* Takes an option other than the help; value is NULL if it has none. False: its value is not
     * allowed, and that has been complained about. */
    bool (*take)(int option, const char *value, void *context);
};

/*
 * Takes all options of argv[1] … in their order. Returns ARGUMENTS_GO, or the exit status if
 * nothing is to be begun: the help was asked for and is printed, or something is wrong. *first is
 * then the index of the first of what is no option, which stands behind them now; with first NULL
 * none is allowed.
 */
int arguments_take(const struct arguments *arguments, int argc, char **argv, void *context,
                   int *first);

/* Takes a whole number as an option's value, or complains and returns false. */
bool arguments_take_number(const char *subcommand, const char *option, const char *value,
                           uint64_t minimum, uint64_t maximum, uint64_t *number);

/* Takes the value of --connect, or complains and returns false. */
bool arguments_take_servers(const char *subcommand, const char *value,
                            struct connect_string *servers);

/* Takes the value of --plots (bench/cli/plot_formats.h), or complains and returns false. */
bool arguments_take_plots(const char *subcommand, const char *value, unsigned *formats);

#endif
