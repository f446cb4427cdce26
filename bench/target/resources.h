// SPDX-License-Identifier: Apache-2.0
/*
 * resources: whether this machine has what private servers and sessions need: libraries, memory,
 * descriptors. Layer: bench/target.
 */
#ifndef BENCH_TARGET_RESOURCES_H
#define BENCH_TARGET_RESOURCES_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <stdint.h>

/* Before a server is started, for so many sessions at a time in so many processes: checks libraries
 * and memory, and raises the limit of descriptors of this process and its child processes. Errors
 * of library_load, ensemble_check_memory and machine_allow_descriptors. */
MUST_CHECK enum error_kind resources_check(const struct target_options *options, uint64_t sessions,
                                           uint32_t processes, struct error *error);

#endif
