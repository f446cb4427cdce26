// SPDX-License-Identifier: Apache-2.0
/*
 * resources: whether this machine has what private servers and sessions need: libraries, memory,
 * descriptors. Layer: bench/target.
 */
#ifndef BENCH_TARGET_RESOURCES_H
#define BENCH_TARGET_RESOURCES_H

#include "base/error.h"
#include "bench/cli/options.h"

#include <stddef.h>
#include <stdint.h>

/* Before a server is started, for so many sessions at a time in so many processes: checks libraries
 * and memory, and raises the limit of descriptors of this process and its child processes. Errors
 * of library_load, ensemble_check_memory and machine_allow_descriptors. */
MUST_CHECK enum error_kind resources_check(const struct target_options *options, uint64_t sessions,
                                           uint32_t processes, struct error *error);

/* A warning if the CPU shares of so many servers add up to more than the cores of this process, or
 * NULL. A static string. */
const char *resources_warning(const struct target_options *options, size_t server_count);

#endif
