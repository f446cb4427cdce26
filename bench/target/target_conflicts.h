// SPDX-License-Identifier: Apache-2.0
/*
 * target_conflicts: options of the servers and of the driver that exclude each other. Layer:
 * bench/target.
 */
#ifndef BENCH_TARGET_TARGET_CONFLICTS_H
#define BENCH_TARGET_TARGET_CONFLICTS_H

#include "bench/cli/options.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether two options exclude each other; complains about the first such pair. */
bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes);

#endif
