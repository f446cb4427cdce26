// SPDX-License-Identifier: Apache-2.0
/*
 * bare_reads: the least that reads through the client library can cost. Layer: bench.
 *
 * A bare epoll loop makes the same calls of the Apache C client's single-threaded build, and of the
 * socket, as zkherd's event loop: it reads up to 16 messages of a session in its turn, and pushes
 * once what their completions have sent, a read each. The loop counts replies, and nothing else: it
 * takes no time, keeps no tags, and has no histograms.
 */
#ifndef BENCH_COST_BARE_READS_H
#define BENCH_COST_BARE_READS_H

#include "base/error.h"

#include <stdint.h>

/* What a client of reads costs. */
struct reads_figures {
    double cpu_us; /* CPU time of the client's process a read */
    double per_s;  /* reads */
};

/* In a process of its own: opens so many sessions with the server of this port, keeps `depth` reads
 * outstanding on each for so many seconds, and goes away. ERROR_SYSTEM if that process fails, and
 * those of errno. */
MUST_CHECK enum error_kind bare_reads_measure(uint16_t port, uint32_t sessions, uint32_t depth,
                                              double seconds, struct reads_figures *figures,
                                              struct error *error);

#endif
