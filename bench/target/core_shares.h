// SPDX-License-Identifier: Apache-2.0
/*
 * core_shares: how much of this machine each private server gets, so that servers do not take the
 * cores from each other. Layer: bench/target.
 *
 * Reads are the work of all servers alike, and at saturation use all of their shares of the CPU. If
 * the servers use less than CORE_SHARES_SATURATED_PERCENT, too few requests are outstanding, or
 * something else uses the machine: the servers are starved, and what they answered is no measure of
 * what they can answer.
 */
#ifndef BENCH_TARGET_CORE_SHARES_H
#define BENCH_TARGET_CORE_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORE_SHARES_SATURATED_PERCENT 90

/* What each of so many servers gets of the cores that the driver leaves, with one core for each of
 * its processes but half of the cores at most: percent of one core; 0 if that is less than a server
 * can live on (SERVER_CPU_MIN_PERCENT). */
uint32_t core_shares_of(double cores, uint32_t processes, uint64_t servers);

/* The same of the cores that this process may use, if this machine can limit the CPU of a process.
 * Returns NULL, and the share of each server in *percent; or why there can be none, a static text
 * or one in `text`, and *percent is unchanged. */
const char *core_shares_find(uint32_t processes, uint64_t servers, uint32_t *percent, char *text,
                             size_t size);

/* Whether so many servers with this share each were starved, if they used so many cores together
 * when there were reads alone; false of cores that are not known, NaN. */
bool core_shares_starved(double server_cores, uint64_t servers, uint32_t percent);

#endif
