// SPDX-License-Identifier: Apache-2.0
/*
 * costs_option: --costs of the subcommands that can simulate. Layer: bench/model.
 *
 * Invariant: options that are refused are left unchanged.
 */
#ifndef BENCH_MODEL_COSTS_OPTION_H
#define BENCH_MODEL_COSTS_OPTION_H

#include "bench/cli/options.h"

#include <stdbool.h>

/*
 * Reads the file of target->costs, if one is given, into the other members. A simulation of another
 * number of servers than the costs were measured on is no mistake, but a warning is printed unless
 * `quiet`. Returns ARGUMENTS_GO (bench/cli/arguments.h); or the exit status, and has complained.
 */
int costs_option_take(const char *subcommand, struct target_options *target, bool quiet);

#endif
