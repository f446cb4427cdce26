// SPDX-License-Identifier: Apache-2.0
/*
 * load_plan: what a trial of a load is to do. Layer: load.
 */
#ifndef LOAD_LOAD_PLAN_H
#define LOAD_LOAD_PLAN_H

#include "base/clock.h"
#include "client/client.h"
#include "fleet/fleet_plan.h"
#include "load/mix.h"

#include <stdbool.h>
#include <stdint.h>

/* The most operations that a session may have outstanding: a mix has at most twice as many
 * requests. */
#define LOAD_DEPTH_MAX (CLIENT_DEPTH_MAX / 2)

/* The longest measured time, in seconds. */
#define LOAD_SECONDS_MAX 86400

/* The most spans of the measured time that have response times of their own: second by second up to
 * an hour. A histogram that is in use takes some 60 KiB, so they bound the memory of a load. */
#define LOAD_SPANS_MAX 3600

/* The most watched versions that a load may have to remember: one for each session and each znode
 * that the session may watch. */
#define FAN_OUT_WATCHED_MAX (UINT64_C(1) << 28)

/* Which servers. What a server is, is asked when the fault is due. */
enum load_fault_target {
    LOAD_FAULT_LEADER,
    LOAD_FAULT_FOLLOWER,
    LOAD_FAULT_ANOTHER_FOLLOWER, /* one that no earlier fault of the trial has killed */
    LOAD_FAULT_DOWN              /* all that are down are started again; the others are killed */
};

/* What happens to private servers during the measured time: see load_faults.c. */
struct load_fault {
    uint64_t at_ns; /* after the measured time began */
    enum load_fault_target target;
    uint32_t servers; /* to be killed: how many */
};

struct load_plan {
    struct fleet_plan fleet; /* its depth bounds the requests outstanding of a session: it is
                                mix_requests of the operations */
    struct mix mix;
    uint64_t rate_per_s;    /* offered by all sessions together; 0: a closed loop, in which each
                               reply is followed by the next operation */
    bool poisson;           /* the offered operations come at random; else at constant distances */
    uint32_t value_bytes;   /* of data znodes and of those that are created */
    uint32_t znodes;        /* data znodes, which all sessions share; 0: one for each session */
    uint32_t watch_percent; /* of the reads of data znodes: leave a watch. The product of sessions
                               and shared znodes is then at most FAN_OUT_WATCHED_MAX */
    uint64_t warm_up_ns;    /* under the same load, and not measured */
    uint32_t seconds;       /* measured, 1 to LOAD_SECONDS_MAX; in the background also 0 */
    uint64_t limit_ns;      /* responses that take so long are counted; 0: none is */
    /* In the order of their times, no two at the same; NULL: none. For private servers alone. */
    const struct load_fault *faults;
    uint32_t fault_count;
    /* The znode of this trial; does not exist yet, its parent does. In a simulation both are made.
     */
    const char *root;
};

static inline uint64_t load_plan_measured_ns(const struct load_plan *plan)
{
    return plan->seconds * NS_PER_S;
}

/* The length of a span in seconds; the last one may be shorter. */
static inline uint32_t load_plan_span_s(const struct load_plan *plan)
{
    return plan->seconds > LOAD_SPANS_MAX ? (plan->seconds + LOAD_SPANS_MAX - 1) / LOAD_SPANS_MAX
                                          : 1;
}

/* Whether a second of the measured time, from 0, is the last of its span. */
static inline bool load_plan_ends_span(const struct load_plan *plan, uint32_t second)
{
    return (second + 1) % load_plan_span_s(plan) == 0 || second + 1 == plan->seconds;
}

/* How many operations a session may have outstanding. */
static inline uint32_t load_plan_depth(const struct load_plan *plan)
{
    return fleet_plan_depth(&plan->fleet) / mix_requests(&plan->mix, 1);
}

/* How many data znodes there are. */
static inline uint32_t load_plan_znodes(const struct load_plan *plan)
{
    return plan->znodes > 0 ? plan->znodes : plan->fleet.sessions;
}

#endif
