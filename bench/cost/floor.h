// SPDX-License-Identifier: Apache-2.0
/*
 * floor: what messages on as many connections cost, without a ZooKeeper. Layer: bench.
 *
 * A bare epoll loop that sends 64 bytes and receives 40 on each of its loopback connections, over
 * and over, with one request outstanding on each: what an RPC is to ZooKeeper, with nothing of
 * ZooKeeper in it. The other end is a second process. Every epoll_wait finds many connections
 * ready, which a real server never allows: bare_client.h is the floor for that.
 */
#ifndef BENCH_COST_FLOOR_H
#define BENCH_COST_FLOOR_H

#include "base/error.h"

#include <stdint.h>

/* CPU time of the client's side for a round trip, over so many connections and round trips in all.
 */
MUST_CHECK enum error_kind floor_measure(uint32_t connections, uint64_t round_trips, double *cpu_us,
                                         struct error *error);

#endif
