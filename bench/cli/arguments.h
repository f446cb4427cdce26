// SPDX-License-Identifier: Apache-2.0
/*
 * arguments: the command line of a subcommand, taken option by option. Layer: bench/cli.
 *
 * Invariant: a mistake is reported once, before the work begins.
 */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "client/connect.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* No exit status: the command line is right, and the work can begin. */
#define ARGUMENTS_GO (-1)

/* The command line of a subcommand; constant. */
struct arguments {
    const char *subcommand;
    const char *help;             /* what -h and --help print */
    const char *letters;          /* getopt's string of letters, with ':' in front and with h */
    const struct option *options; /* long names; val is the letter, or above UCHAR_MAX */
    /* Takes an option other than the help; value is NULL for a flag. False: the value is not
     * allowed, and the mistake has been reported. */
    bool (*take)(int option, const char *value, void *context);
};

/*
 * Takes all options of argv[1] … in their order. Returns ARGUMENTS_GO; or the exit status, if the
 * help has been printed or a mistake has been reported. Moves the operands behind the options, and
 * puts the index of the first operand into *first. With first NULL no operand is allowed.
 */
int arguments_take(const struct arguments *arguments, int argc, char **argv, void *context,
                   int *first);

/* Reads a whole number from an option's value. False if the value is wrong: that has been reported.
 */
bool arguments_take_number(const char *subcommand, const char *option, const char *value,
                           uint64_t minimum, uint64_t maximum, uint64_t *number);

/* Reads the value of --connect. False if the value is wrong: that has been reported. */
bool arguments_take_servers(const char *subcommand, const char *value,
                            struct connect_string *servers);

/* Reads the value of --plots (bench/cli/plot_formats.h). False if the value is wrong: that has been
 * reported. */
bool arguments_take_plots(const char *subcommand, const char *value, unsigned *formats);

#endif
