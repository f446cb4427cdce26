// SPDX-License-Identifier: Apache-2.0
/* options: the size of a simulated ensemble, and its costs. Layer: sim. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdint.h>

#define SIM_SERVERS_MAX 13 /* as many as the ensembles of the ZooKeeper paper had */

/* Durations. A server has one CPU and one disk, each of which does one thing at a time. */
struct sim_costs {
    uint64_t network_ns;        /* a message from one host to another, one way */
    uint64_t network_jitter_ns; /* the most that is added to it, at random */
    uint64_t read_ns;           /* CPU: a read */
    uint64_t name_ns;           /* CPU: each name in the reply to getChildren, in addition */
    uint64_t order_ns;          /* CPU of the leader: the check and the order of a write */
    uint64_t apply_ns;          /* CPU of each server: a write */
    uint64_t notification_ns;   /* CPU: a watch that fires */
    uint64_t sync_ns;           /* disk: a sync of all that arrived during the sync before */
};

struct sim_options {
    unsigned servers; /* 1 to SIM_SERVERS_MAX; 1 is standalone */
    uint64_t seed;    /* of the jitter */
    struct sim_costs costs;
};

#endif
