// SPDX-License-Identifier: Apache-2.0
/*
 * plan_limits_table: the limits of one target as a table, with what the clients need of each.
 * Layer: bench/limits.
 *
 * Invariant: a limit that is complained of is a row of the table.
 */
#ifndef BENCH_LIMITS_PLAN_LIMITS_TABLE_H
#define BENCH_LIMITS_PLAN_LIMITS_TABLE_H

#include "base/error.h"
#include "bench/limits/plan_limits.h"
#include "bench/limits/plan_limits_command_line.h"

#include <stdio.h>

/* Calls `each` for every limit, in the order of the table. */
void plan_limits_table_visit(const struct plan_limits_options *options,
                             const struct plan_given *given,
                             void (*each)(void *context, const struct plan_limit *limit),
                             void *context);

/* Writes the settings of the servers, called `name`, the table, what its rows mean, and the limit
 * that is met first. ERROR_NO_MEMORY, with nothing but the settings written. */
MUST_CHECK enum error_kind plan_limits_table_write(const struct plan_limits_options *options,
                                                   const char *name, const struct plan_given *given,
                                                   FILE *stream, struct error *error);

/* Complains about each limit that the clients pass. Returns how many they are. */
unsigned plan_limits_table_complain(const struct plan_limits_options *options, const char *name,
                                    const struct plan_given *given);

#endif
