// SPDX-License-Identifier: Apache-2.0
/*
 * costs_target: whether calibrated costs hold for the servers at hand. Layer: bench/model.
 */
#ifndef BENCH_MODEL_COSTS_TARGET_H
#define BENCH_MODEL_COSTS_TARGET_H

#include "bench/model/costs_file.h"
#include "bench/target/target.h"

#include <stdint.h>

/* Describes open servers, and a driver of so many processes. */
void costs_target_describe(const struct target_options *options, const struct target *target,
                           uint32_t processes, struct costs_record *record);

#endif
