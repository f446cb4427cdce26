// SPDX-License-Identifier: Apache-2.0
/*
 * fleet_plan: the sessions of a fleet, the servers that they use, and how a run of them ends.
 * Layer: fleet.
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
    uint32_t sessions;  /* of this host */
    uint32_t processes; /* at most sessions; session i belongs to process i mod processes */
    uint32_t depth;     /* requests that a session may have outstanding; 0 is 1 */
    uint32_t session_timeout_ms;
    uint64_t timeout_ns; /* the longest time without progress */
    uint64_t seed;
    /* Session number i connects to server i mod their number, and to the others in turn when that
     * one is lost (connect_spread); it stays where it is then. In a simulation a server's port is
     * its number, from 1. */
    const struct connect_string *servers;
    /* Hosts share `all` sessions, and this one has those from number `first` on. The one with
     * number 0 makes and deletes the root, and reads the servers' counters. 0: this one is alone.
     */
    uint32_t first, all;
};

/* What the workers can use of `cores` cores: with one event loop in each process, at most one core
 * for each. */
static inline double fleet_plan_cores(const struct fleet_plan *plan, double cores)
{
    bool one_each = plan->driver != DRIVER_THREADS && plan->processes < cores;
    return one_each ? plan->processes : cores;
}

/* The sessions of all hosts. */
static inline uint32_t fleet_plan_all(const struct fleet_plan *plan)
{
    return plan->all > 0 ? plan->all : plan->sessions;
}

static inline uint32_t fleet_plan_depth(const struct fleet_plan *plan)
{
    return plan->depth > 0 ? plan->depth : 1;
}

/* Where fleets run: on servers, or each in a simulation of its own. */
struct fleet_host {
    struct setup_session *setup;          /* a simulation has its own */
    const struct connect_string *servers; /* all of them: the plan's may be a part; those of a
                                             simulation have their numbers, from 1, as ports */
    struct ensemble *ensemble;            /* private servers; NULL: the servers are others' */
    const struct sim_options *simulation; /* for DRIVER_SIMULATED; its seed is the plan's */
    uint32_t companions;      /* sessions of this program's other fleets on these servers */
    int interrupt_descriptor; /* readable when the run is to be given up; -1: never */
    /* Whether what is to run at the same time still does, asked after every wait: if not, the run
     * ends (END_ALONE). May be NULL. */
    bool (*has_company)(void *company);
    void *company;
};

/* How a run has ended. */
enum fleet_end {
    END_DONE,      /* not yet, or it was complete */
    END_VIOLATION, /* a verdict failed: the rest would mean nothing */
    END_DEADLINE,  /* nothing moved for the plan's timeout */
    END_LOST,      /* a session cannot go on */
    END_OVERFLOW,  /* more happened than there is memory to record */
    END_ALONE,     /* what was to run at the same time has ended */
    END_ERROR,     /* the run could not be brought to its end: an error says why */
};

#endif
