// SPDX-License-Identifier: Apache-2.0
/*
 * limits: whether this machine has the resources of a run: libraries, memory, descriptors, ports.
 * Layer: bench/run.
 */
#ifndef BENCH_RUN_LIMITS_H
#define BENCH_RUN_LIMITS_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "bench/run/record.h"

#include <stddef.h>

/* Before a server is started: checks libraries and memory, and raises the limit of descriptors of
 * this process and its child processes. Errors of library_load, ensemble_check_memory and
 * machine_allow_descriptors. */
MUST_CHECK enum error_kind limits_check(const struct options *options, struct error *error);

/* Adds a warning to the record for each resource that may not suffice on a target of so many
 * servers. */
void limits_warn(const struct options *options, const struct cells *cells, size_t server_count,
                 struct record *record);

#endif
