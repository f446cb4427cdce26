// SPDX-License-Identifier: Apache-2.0
/*
 * limits: warnings of what this machine may lack for a run: request numbers, ports. Layer:
 * bench/run.
 */
#ifndef BENCH_RUN_LIMITS_H
#define BENCH_RUN_LIMITS_H

#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "bench/run/record.h"

#include <stddef.h>

/* Adds a warning to the record for each resource that may not suffice on a target of so many
 * servers. */
void limits_warn(const struct options *options, const struct cells *cells, size_t server_count,
                 struct record *record);

#endif
