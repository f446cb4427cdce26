// SPDX-License-Identifier: Apache-2.0
/*
 * bare_client: the least that a client of a real server can cost. Layer: bench.
 *
 * A bare epoll loop runs the non-scalable lock as zkherd does in free pace: each connection has a
 * session, sends the same frames (CREATE, EXISTS with a watch, DELETE), and reads the same replies
 * and notifications. The loop has no library, measures no latency, and checks only what decides the
 * next request.
 */
#ifndef BENCH_COST_BARE_CLIENT_H
#define BENCH_COST_BARE_CLIENT_H

#include "base/error.h"
#include "client/connect.h"

#include <stdint.h>

/*
 * Opens so many sessions, lets each of them hold the lock once, and closes them. *cpu_us: the CPU
 * time of the process for each request of the lock, without the opening and the closing. lock: the
 * znode that is the lock; its parent must exist. Errors of tcp_connect, ERROR_NO_MEMORY,
 * ERROR_CLOSED, ERROR_NO_ANSWER (for a minute), ERROR_ZOOKEEPER (an answer that does not belong to
 * this lock).
 */
MUST_CHECK enum error_kind bare_client_measure(const struct endpoint *server, const char *lock,
                                               uint32_t connections, double *cpu_us,
                                               struct error *error);

#endif
