// SPDX-License-Identifier: Apache-2.0
/*
 * costs_target: the servers and the driver at hand, as the file of costs records those for which
 * the costs hold (costs_file.h). Layer: bench/model.
 *
 * Invariant: what zkherd does not know of servers of --connect is "unknown".
 */
#ifndef BENCH_MODEL_COSTS_TARGET_H
#define BENCH_MODEL_COSTS_TARGET_H

#include "bench/model/costs_file.h"
#include "bench/target/target.h"

#include <stdint.h>

/* Fills *record with open servers, and with a driver of so many processes. */
void costs_target_describe(const struct target_options *options, const struct target *target,
                           uint32_t processes, struct costs_record *record);

#endif
