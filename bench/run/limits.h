// SPDX-License-Identifier: Apache-2.0
/*
 * limits: whether this machine has what a run takes: libraries, memory, descriptors, ports. Layer:
 * bench/run.
 */
#ifndef BENCH_RUN_LIMITS_H
#define BENCH_RUN_LIMITS_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/cells.h"
#include "bench/run/record.h"

#include <stddef.h>

/* Before a server is started: that the run can be made, as far as this is known beforehand. Allows
 * this process, and who inherits from it, the descriptors that it takes. Errors are those of
 * library_load, ensemble_check_memory and machine_allow_descriptors. */
MUST_CHECK enum error_kind limits_check(const struct options *options, struct error *error);

/* Warns a record of what will be short on a target of so many servers. */
void limits_warn(const struct options *options, const struct cells *cells, size_t server_count,
                 struct record *record);

#endif
