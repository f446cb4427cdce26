// SPDX-License-Identifier: Apache-2.0
/*
 * load_plan: what a trial of a load is to do: which requests, in which shares, how many and how
 * long. Layer: load.
 *
 * Invariant: the shares of a mix that mix_parse or mix_of_reads has made are whole percents, and
 * their sum is 100.
 */
#ifndef LOAD_LOAD_PLAN_H
#define LOAD_LOAD_PLAN_H

#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"
#include "fleet/fleet_plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ mix */

/* The kinds of operation of a load. X(name, the word for it in a mix and in files) */
#define LOAD_KIND_LIST(X)                                                                          \
    X(GET, "get")           /* reads a data znode */                                               \
    X(EXISTS, "exists")     /* asks for the Stat of a data znode */                                \
    X(CHILDREN, "children") /* lists the znodes that the session has created */                    \
    X(SET, "set")           /* writes a data znode */                                              \
    X(CREATE, "create")     /* creates a znode of the session's own */                             \
    X(DELETE, "delete")     /* deletes the oldest of those */                                      \
    X(MULTI, "multi")       /* checks and writes a data znode, in one transaction */               \
    X(TRYLOCK, "trylock")   /* creates the one ephemeral znode that is the lock, or goes away */   \
    X(CREATE_DELETE, "create-delete") /* creates a znode of the session's own that is deleted */   \
    X(UNLOCK, "unlock") /* deletes the lock's znode: follows each TRYLOCK that succeeded */        \
    X(ASYNC_DELETE, "async-delete") /* deletes the znode of a CREATE_DELETE that succeeded */

enum load_kind {
#define X(name, word) LOAD_##name,
    LOAD_KIND_LIST(X)
#undef X
        LOAD_KINDS
};

#define MIX_KINDS LOAD_UNLOCK /* those that a mix may name; the rest follow from others */

struct mix {
    uint32_t percent[MIX_KINDS];
};

/* Parses a list such as "get=70,set=20,create=5,delete=5". False, with a sentence in why (size
 * bytes) and *mix unchanged, if a kind is unknown or named twice, a share is not a whole number
 * from 1 to 100, the shares do not sum to 100, or the mix deletes more than it creates. */
bool mix_parse(const char *text, struct mix *mix, char *why, size_t size);

/* The mix of `percent` percent get, and of set for the rest. */
struct mix mix_of_reads(uint32_t percent);

/* Formats a mix as mix_parse reads it; returns text. size: 128 bytes are always enough. */
const char *mix_format(const struct mix *mix, char *text, size_t size);

/* The percentage of the operations that only read; whether a kind does. */
uint32_t mix_reads(const struct mix *mix);
bool load_kind_reads(enum load_kind kind);

/* The most requests that a session may have outstanding whose operations outstanding are at most
 * `depth`. They are more if the mix names CREATE_DELETE: the ASYNC_DELETE that follows one is sent
 * at once, on top of the depth, and at most `depth` of these are outstanding. */
uint32_t mix_requests(const struct mix *mix, uint32_t depth);

/* Whether the mix names one of the kinds that use the znodes below a session's own folder. */
bool mix_needs_folders(const struct mix *mix);

/* Draws a kind: each with the probability of its share. */
enum load_kind mix_draw(const struct mix *mix, struct random *random);

const char *load_kind_word(enum load_kind kind);

/* ------------------------------------------------------------------ plan */

/* The most operations that a session may have outstanding, with up to twice as many requests. */
#define LOAD_DEPTH_MAX (CLIENT_DEPTH_MAX / 2)

#define LOAD_SECONDS_MAX 86400 /* the longest measured time, in seconds */

/* The most spans of the measured time that have response times of their own: second by second up to
 * an hour. A histogram that is in use takes some 60 KiB, so they bound the memory of a load. */
#define LOAD_SPANS_MAX 3600

/* The most watched versions to remember: one for each session and znode that it may watch. */
#define FAN_OUT_WATCHED_MAX (UINT64_C(1) << 28)

struct load_trial;

/* What hosts do together in a trial (hosts/load_hosts.h). */
enum load_step {
    LOAD_STEP_BEGIN,  /* the trial's root is there */
    LOAD_STEP_OPEN,   /* the sessions have laid out their znodes; not counted yet */
    LOAD_STEP_START,  /* returns when this host is to begin */
    LOAD_STEP_REST,   /* all requests are answered */
    LOAD_STEP_ADD_UP, /* the servers' counters are read, and the workers' counts added up */
    LOAD_STEP_CLEAR,  /* the sessions have deleted their znodes, or cannot go on */
};

struct load_plan {
    struct fleet_plan fleet; /* its depth is mix_requests of the operations outstanding */
    struct mix mix;
    uint64_t rate_per_s; /* offered by all sessions; 0: a closed loop, an operation at each reply */
    bool poisson;        /* the offered operations come at random; else at constant distances */
    uint32_t value_bytes;   /* of data znodes and of those that are created */
    uint32_t znodes;        /* data znodes, which all sessions share; 0: one for each session */
    uint32_t watch_percent; /* of the reads of data znodes: leave a watch. The product of sessions
                               and shared znodes is then at most FAN_OUT_WATCHED_MAX */
    uint64_t warm_up_ns;    /* under the same load, and not measured */
    uint32_t seconds;       /* measured, 1 to LOAD_SECONDS_MAX; in the background also 0 */
    uint64_t limit_ns;      /* responses that take so long are counted; 0: none is */
    const char *root; /* the znode to be made for this trial; its parent exists, unless simulated */
    /* Takes a step together with other hosts; NULL: there is one host. */
    void (*take_step)(void *company, struct load_trial *trial, enum load_step step);
    void *company;
};

/* The length of a span in seconds; the last one may be shorter. */
static inline uint32_t load_plan_span_s(const struct load_plan *plan)
{
    return plan->seconds > LOAD_SPANS_MAX ? (plan->seconds + LOAD_SPANS_MAX - 1) / LOAD_SPANS_MAX
                                          : 1;
}

static inline uint32_t load_plan_spans(const struct load_plan *plan)
{
    return (plan->seconds + load_plan_span_s(plan) - 1) / load_plan_span_s(plan);
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

static inline uint32_t load_plan_znodes(const struct load_plan *plan)
{
    return plan->znodes > 0 ? plan->znodes : fleet_plan_all(&plan->fleet);
}

/* ------------------------------------------------------------------ what is shown */

struct load_shared;

struct load_progress {
    enum { LOAD_CONNECTS, LOAD_LAYS_OUT, LOAD_WARMS_UP, LOAD_MEASURES, LOAD_CLEARS } phase;
    uint32_t established; /* sessions */
    uint32_t second;      /* LOAD_MEASURES: seconds that have passed */
    const struct load_shared *load;
};

struct load_watch {
    /* Called about ten times a second, and when all of a load that went well is answered. */
    void (*progress)(void *context, const struct load_progress *progress);
    void *context;
};

#endif
