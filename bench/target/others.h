// SPDX-License-Identifier: Apache-2.0
/*
 * others: the clients of the servers of --connect that are not zkherd's, and what they send. Layer:
 * bench/target.
 */
#ifndef BENCH_TARGET_OTHERS_H
#define BENCH_TARGET_OTHERS_H

#include "bench/target/target.h"

#include <stdint.h>

struct others {
    uint64_t clients;        /* connections to all servers; 0 also if the servers do not tell */
    uint64_t requests_per_s; /* of these clients, their pings included */
};

/* Counts for a second, in which zkherd has the target's set-up session alone. */
struct others others_count(const struct target *target);

#endif
