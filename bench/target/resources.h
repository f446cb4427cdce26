// SPDX-License-Identifier: Apache-2.0
/*
 * resources: whether this machine has what private servers and sessions need (libraries, memory,
 * descriptors, cores), and what a trial of locks will send. Layer: bench/target.
 */
#ifndef BENCH_TARGET_RESOURCES_H
#define BENCH_TARGET_RESOURCES_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "trial/trial_plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before a server is started, for this number of sessions at a time in these processes: checks
 * libraries and memory, and raises the limit of descriptors of this process and its children.
 * Errors of library_load, ensemble_check_memory and machine_allow_descriptors. */
MUST_CHECK enum error_kind resources_check(const struct target_options *options, uint64_t sessions,
                                           uint32_t processes, struct error *error);

/* A warning, a static string, if the CPU shares of the servers add up to more than the cores of
 * this process; or NULL. */
const char *resources_warning(const struct target_options *options, size_t server_count);

/* ------------------------------------------------------------------ shares of the cores
 *
 * The share of this machine that each private server gets, in percent of a core, so that servers do
 * not take the cores from each other. At saturation reads use all of the shares. Servers that use
 * less than RESOURCES_SATURATED_PERCENT are starved: too few requests are outstanding, or something
 * else uses the machine, and what they answered is no measure of what they can answer. */

#define RESOURCES_SATURATED_PERCENT 90

/* The share of each server, where the driver has a core for each of its processes, but half of the
 * cores at most; 0 if a server cannot live on it (SERVER_CPU_MIN_PERCENT). */
uint32_t resources_share_of(double cores, uint32_t processes, uint64_t servers);

/* The same of the cores that this process may use. NULL; or why there is none, as on a machine that
 * cannot limit the CPU of a process, in `text` or a static text, and *percent is unchanged. */
const char *resources_find_share(uint32_t processes, uint64_t servers, uint32_t *percent,
                                 char *text, size_t size);

/* Whether servers with this share each, which used these cores together when there were reads
 * alone, were starved; false of cores that are not known, NaN. */
bool resources_are_starved(double server_cores, uint64_t servers, uint32_t percent);

/* ------------------------------------------------------------------ traffic */

/* What a trial sends, computed before it is run. The requests are those of the
 * recipe's law: exact under lockstep, an estimate otherwise. */
struct resources_traffic {
    uint64_t rpcs;
    uint64_t transactions; /* that each server logs: requests that write, and two of each session */
};

/* The traffic of a plan with recipe, workload, sessions, locks and handoffs; when the time decides,
 * that of one grant of each client. */
struct resources_traffic resources_traffic_of(const struct trial_plan *plan);

#endif
