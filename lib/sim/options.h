// SPDX-License-Identifier: Apache-2.0
/* options: what a simulated ensemble is like, and what things cost in it. Layer: sim. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdint.h>

#define SIM_SERVERS_MAX 9

/* What things cost, in nanoseconds. A server has one CPU and one disk, each of which does one thing
 * at a time. */
struct sim_costs {
    uint64_t network_ns;        /* a message from one host to another, one way */
    uint64_t network_jitter_ns; /* and from nothing up to this on top, each time */
    uint64_t read_ns;           /* CPU: answers a read */
    uint64_t name_ns;           /* CPU: a name in the reply to getChildren, on top */
    uint64_t order_ns;          /* CPU: the leader checks a write and puts it in order */
    uint64_t apply_ns;          /* CPU: a server, the leader too, carries a write out */
    uint64_t notification_ns;   /* CPU: a watch fires */
    uint64_t sync_ns;           /* disk: a sync, with all that has come while the last one ran */
};

struct sim_options {
    unsigned servers; /* 1 to SIM_SERVERS_MAX; 1 is standalone */
    uint64_t seed;    /* of the jitter */
    struct sim_costs costs;
};

#endif
