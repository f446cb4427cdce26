// SPDX-License-Identifier: Apache-2.0
/*
 * fleet_plan: the sessions of a fleet, their processes and their servers. Layer: fleet.
 */
#ifndef FLEET_FLEET_PLAN_H
#define FLEET_FLEET_PLAN_H

#include "client/connect.h"

#include <stdbool.h>
#include <stdint.h>

/* What drives the sessions of a process. */
enum driver {
    DRIVER_EVENTS,   /* one event loop for all (client/event_loop.h) */
    DRIVER_THREADS,  /* a thread for each (client/thread_sessions.h) */
    DRIVER_SIMULATED /* servers and sessions in memory, in one process (sim/sim.h) */
};

/* No command line asks for more. */
#define FLEET_SESSIONS_MAX 100000

struct fleet_plan {
    enum driver driver;
    uint32_t sessions;
    uint32_t processes; /* at most sessions; session i belongs to process i mod processes */
    uint32_t depth;     /* requests that a session may have outstanding; 0 is 1 */
    uint32_t session_timeout_ms;
    uint64_t timeout_ns; /* the longest time without progress */
    uint64_t seed;
    /* Session i connects to server i mod their number, and to the others in turn when that one is
     * lost (connect_spread); it stays where it is then. In a simulation a server's port is its
     * number, from 1. */
    const struct connect_string *servers;
};

/* What the workers can use of so many cores: with one event loop in each process, at most one core
 * for each. */
static inline double fleet_plan_cores(const struct fleet_plan *plan, double cores)
{
    bool one_each = plan->driver != DRIVER_THREADS && plan->processes < cores;
    return one_each ? plan->processes : cores;
}

static inline uint32_t fleet_plan_depth(const struct fleet_plan *plan)
{
    return plan->depth > 0 ? plan->depth : 1;
}

#endif
