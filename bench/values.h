// SPDX-License-Identifier: Apache-2.0
/*
 * values: what each option of `zkherd run` allows. Layer: bench, below options.
 *
 * Invariant: a value that was taken can be run, as far as it alone decides; what several options
 * say together is for bench/contradictions.h.
 */
#ifndef BENCH_VALUES_H
#define BENCH_VALUES_H

#include "bench/options.h"

#include <stdbool.h>

/* As getopt has them: those with a letter are it. */
enum option_name {
    OPTION_RECIPES = 'r',
    OPTION_CLIENTS = 'n',
    OPTION_WORKLOAD = 'w',
    OPTION_PACE = 'p',
    OPTION_LOCKS = 'k',
    OPTION_TRIALS = 't',
    OPTION_DRIVER = 'd',
    OPTION_PROCESSES = 'P',
    OPTION_OUT = 'o',
    OPTION_QUIET = 'q',
    OPTION_HELP = 'h',
    OPTION_HANDOFFS = 256, /* from here on they have none */
    OPTION_DURATION,
    OPTION_HOLD,
    OPTION_CONNECT,
    OPTION_SERVERS,
    OPTION_HEAP,
    OPTION_FSYNC,
    OPTION_DATA,
    OPTION_PLACEMENT,
    OPTION_MAX_CLIENTS,
    OPTION_MAX_RATE,
    OPTION_SESSION_TIMEOUT,
    OPTION_TIMEOUT,
    OPTION_SEED,
    OPTION_PLOTS
};

/*
 * Takes the value of an option, as it was typed, into the options, in place of one that was given
 * before; NULL for --quiet, and --help is not for here. False if the option does not allow it: it
 * has been complained about, and the option is not to be read. Lists are the options' to free, and
 * what is a text goes on pointing to the value.
 */
bool values_take(enum option_name name, const char *value, struct options *options);

#endif
