// SPDX-License-Identifier: Apache-2.0
/*
 * load shared: what the processes of a load share besides the fleet's own memory. Layer: load.
 *
 * Laid out once, from the plan, before the workers are forked, and like fleet/shared.h at the same
 * address in all of them. The coordinator writes the times before it gives the order to start; the
 * sessions write everything else, with atomic additions, because on threads those of a worker run
 * at the same time.
 *
 * Invariant: after the gate has opened nothing in here grows.
 */
#ifndef LOAD_LOAD_SHARED_H
#define LOAD_LOAD_SHARED_H

#include "base/error.h"
#include "client/client.h"
#include "fleet/shared.h"
#include "load/load_plan.h"
#include "measure/histogram.h"
#include "measure/tally.h"
#include "servers/role.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fan_out;

/* A sample: so many of them are a second. */
#define OUTAGES_SAMPLES_PER_S 10

/* Which operations. */
enum outages_kind {
    OUTAGES_READS,
    OUTAGES_WRITES,
    OUTAGES_KINDS,
    OUTAGES_ALL = OUTAGES_KINDS /* both together */
};

struct outages;

/* The operations that were completed in a sample, from 0. */
uint64_t outages_sample(const struct outages *outages, uint32_t sample, enum outages_kind kind);

/* Of any path of a load, with its terminator. */
#define LOAD_PATH_SIZE 160

#define LOAD_STATUSES (ZK_OTHER_ERROR + 1)

/* One second of the measured time: the operations that were answered in that second. */
struct load_second {
    _Atomic uint64_t answered; /* by a server, as the load foresees; no kind that follows */
    _Atomic uint64_t errors;   /* any other reply, that of a lost connection included */
    _Atomic uint64_t lag_ns;   /* the largest of the operations that were sent in that second */
    struct histogram reads;    /* response times of the answered that only read, */
    struct histogram writes;   /* and of the other answered */
};

/* Of operations that were due in the contended time, of all kinds together: X(counter), and the
 * histograms X(times). A row is counted by the workers and added up in the result. */
#define LOAD_CONTENDED_COUNTERS(X)                                                                 \
    X(answered) /* as foreseen, in the contended time; no kind that follows */                     \
    X(errors)   /* other replies, in the contended time */                                         \
    X(delayed)  /* as in struct load_worker, and so on */                                          \
    X(unsent)                                                                                      \
    X(failed) /* other replies, whenever they came */                                              \
    X(over)   /* of `response`: not below the plan's limit, exactly */

#define LOAD_CONTENDED_TIMES(X) X(lag) X(service) X(response)

struct load_contended {
#define X(counter) _Atomic uint64_t counter;
    LOAD_CONTENDED_COUNTERS(X)
#undef X
#define X(times) struct histogram times;
    LOAD_CONTENDED_TIMES(X)
#undef X
};

/* What the sessions of a worker count. `total` begins at the order to start, and counts what was
 * sent; everything else is about operations that were due in the measured time, whenever they were
 * answered. The answered are without the kinds that follow from others (MIX_KINDS). A histogram
 * takes memory only where values are recorded. */
struct load_worker {
    _Alignas(SHARED_CACHE_LINE) struct tally total;
    _Atomic uint64_t replied;  /* of total */
    _Atomic uint64_t answered; /* as foreseen, in the measured time, whenever due */
    _Atomic uint64_t errors;   /* other replies, in the measured time */
    _Atomic uint64_t replies[LOAD_KINDS][LOAD_STATUSES];
    _Atomic uint64_t delayed; /* sent late, because `depth` others were outstanding */
    _Atomic uint64_t unsent;  /* never sent, for the same reason, or for want of a connection */
    struct histogram lag;     /* of the others: how late the driver was, by its own doing */
    struct histogram service[ROLES][LOAD_KINDS];  /* from the sending to the reply */
    struct histogram response[ROLES][LOAD_KINDS]; /* from the due time to the reply */
    struct load_contended contended;
};

/* An operation that was sent and has no reply yet: what its tag has no room for. */
struct load_sent {
    uint32_t znode; /* of those that use a data znode */
    bool watch;
    uint64_t sent_ns;
};

struct load_shared {
    const struct load_plan *plan;
    struct shared *shared; /* the fleet's */
    struct load_worker *workers;
    struct load_second *seconds;   /* the plan's seconds of worker 0, those of worker 1, … */
    char (*paths)[LOAD_PATH_SIZE]; /* of the data znodes */
    char *value;                   /* value_bytes of it */
    /* Of a load that leaves watches; else NULL. */
    struct fan_out *fan_out;
    struct outages *outages; /* of a load with faults; else NULL */
    struct load_sent *sent;  /* the depth's of session 0, a ring, those of session 1, … */
    size_t size_bytes;
    /* The measured time is from measures_ns to settles_ns. Behind the measured time of a load in
     * the background, the contended time is from contends_ns to ends_ns. A time that is not known
     * yet is UINT64_MAX. */
    uint64_t starts_ns; /* when the sessions are told to start */
    _Atomic uint64_t measures_ns;
    _Atomic uint64_t settles_ns;
    _Atomic uint64_t contends_ns;
    _Atomic uint64_t ends_ns; /* from here on the sessions send nothing more */
    _Alignas(SHARED_CACHE_LINE) _Atomic uint32_t resting; /* sessions that have done the order */
    _Atomic uint64_t chores_done; /* data znodes that LAY_OUT has created, or CLEAR deleted */
};

/* One second of the measured time, from 0, of all workers. */
struct load_second_sum {
    uint64_t answered, errors;
    uint64_t lag_ns; /* the largest of the operations that were sent in that second */
};

struct load_second_sum load_shared_second_sum(const struct load_shared *load, uint32_t second);

/* Adds the response times of a second's reads and writes to two histograms of the caller's, which
 * may be one and the same. */
void load_shared_add_times(const struct load_shared *load, uint32_t second, struct histogram *reads,
                           struct histogram *writes);

/* The requests that are outstanding at present, of all sessions, roughly: they go on meanwhile. */
uint64_t load_shared_outstanding(const struct load_shared *load);

/* The operations that were due in the contended time and have been replied to so far, and those of
 * them that have failed or were not below the plan's limit. */
uint64_t load_shared_contended_replied(const struct load_shared *load);
uint64_t load_shared_contended_over(const struct load_shared *load);

/* The requests that all sessions have sent so far. */
uint64_t load_shared_sent(const struct load_shared *load);

/* The notifications that all sessions have received so far. */
uint64_t load_shared_notifications(const struct load_shared *load);

/* Whether a reply of this status is foreseen: every ZK_OK, and the failure of a try to get a lock
 * that another session holds. */
bool load_shared_is_foreseen(enum load_kind kind, enum zk_status status);

#endif
