// SPDX-License-Identifier: Apache-2.0
/*
 * core_probe: how late a process is that needs a core for some microseconds only: a bare loop on
 * each core of the affinity. Layer: measure.
 *
 * Each loop is a process of its own, so that the program keeps its one thread: bound to its core,
 * the loop is due 200 times a second, computes for about 10 us, and takes the time from when the
 * loop was due to when the computation has ended. That holds the wake-up, the time for which others
 * had the core, and how fast the core is. A loop costs less than 0.5 % of its core.
 *
 * Invariant: the loops end with this process, and when the probe is freed; signals of a terminal do
 * not end them.
 */
#ifndef MEASURE_CORE_PROBE_H
#define MEASURE_CORE_PROBE_H

#include "base/error.h"

#include <stdint.h>

struct core_probe;

/* The worst core's. */
struct core_probe_times {
    uint64_t turns; /* of all loops */
    uint64_t p50_ns, p99_ns, max_ns;
};

/* Forks the loops: call this while the program has one thread. *probe is the caller's to
 * core_probe_free. ERROR_SYSTEM. */
MUST_CHECK enum error_kind core_probe_new(struct core_probe **probe, struct error *error);
void core_probe_free(struct core_probe *probe);

/* What the loops have measured since the last call: waits for their answers, some milliseconds. */
struct core_probe_times core_probe_take(struct core_probe *probe);

#endif
