// SPDX-License-Identifier: Apache-2.0
/* sim_options: the size of a simulated ensemble, and its costs. Layer: sim. */
#ifndef SIM_SIM_OPTIONS_H
#define SIM_SIM_OPTIONS_H

#include <stdint.h>

#define SIM_SERVERS_MAX 13 /* as many as the ensembles of the ZooKeeper paper had */

/*
 * Durations. A server has one CPU and one disk, each of which does one thing at a time. X(name),
 * where
 *
 * network          a message from one host to another, one way
 * network_jitter   the most that is added to it, at random
 * read             CPU of the session's server: a read
 * name             CPU of the session's server: each name in the reply to getChildren, in addition
 * order            CPU of the leader: the check and the order of a write
 * apply            CPU of each server: a write
 * notification     CPU of the session's server: a watch that fires
 * sync             disk: a sync of all that arrived during the sync before
 */
#define SIM_COST_LIST(X)                                                                           \
    X(network)                                                                                     \
    X(network_jitter)                                                                              \
    X(read)                                                                                        \
    X(name)                                                                                        \
    X(order)                                                                                       \
    X(apply)                                                                                       \
    X(notification)                                                                                \
    X(sync)

struct sim_costs {
#define X(name) uint64_t name##_ns;
    SIM_COST_LIST(X)
#undef X
};

struct sim_options {
    unsigned servers; /* 1 to SIM_SERVERS_MAX; 1 is standalone */
    uint64_t seed;    /* of all that is random */
    struct sim_costs costs;
};

#endif
