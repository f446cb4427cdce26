// SPDX-License-Identifier: Apache-2.0
/*
 * guard: keeps the probes of a search from harming others. Layer: bench/plan.
 *
 * A bystander (load/load.h) reads from every server, and the brake (capacity/brake.h) judges its
 * response times. The guard also watches the probe's rate and connections, and the time of all.
 *
 * Invariant: a probe that the guard has ended is never judged by what was measured of it. The first
 * reason is the one that counts.
 */
#ifndef BENCH_PLAN_GUARD_H
#define BENCH_PLAN_GUARD_H

#include "base/error.h"
#include "capacity/brake.h"
#include "client/connect.h"
#include "load/bystander.h"

#include <stdbool.h>
#include <stdint.h>

/* Why the guard has ended a probe. After all but the last the probe is judged JUDGE_BRAKED. */
enum plan_guard_reason {
    PLAN_GUARD_NONE,      /* it has not */
    PLAN_GUARD_BYSTANDER, /* a bystander has suffered */
    PLAN_GUARD_LOSSES,    /* sessions of the probe have lost their connections */
    PLAN_GUARD_RATE,      /* it sent more requests a second than it may */
    PLAN_GUARD_TIME,      /* the time for all is up: the search is over */
};

struct plan_guard_options {
    uint64_t brake_ns;    /* the bound of the bystander's response times; 0: from its p99 alone */
    uint64_t max_rate;    /* requests a second of a probe; 0: no limit */
    uint64_t max_time_ns; /* from plan_guard_begin on; 0: no limit */
    uint64_t alone_ns;    /* that the bystander reads alone; 0: 100 reads of each server */
};

struct plan_guard {
    struct plan_guard_options options;
    const struct fleet_host *host;
    const char *root; /* of the bystander */
    bool has_bystander;
    struct bystander bystander;
    uint64_t begun_ns;
    uint64_t alone_p99_ns; /* the highest of all servers; 0: no bystander */
    uint64_t bound_ns;     /* of the bystander's response times; 0: no bystander */
    /* The present probe's, or the last one's. */
    enum plan_guard_reason reason;
    char why[200]; /* a clause: "zk1:2181 did not answer a bystander (bound 100 ms)" */
    uint64_t checked_ns;
    uint64_t rated_ns; /* when rpcs was read */
    uint64_t rpcs;
    struct brake brakes[CONNECT_ENDPOINTS_MAX]; /* of each session of the bystander */
};

/* Begins the time of the search, and the bystander, with the errors of bystander_begin; the end has
 * those of bystander_end. host: NULL: no other client uses the servers, and there is no bystander.
 * root: the path of a znode that does not exist yet. Both must outlive plan_guard_end, and *guard
 * must not be moved. On an error nothing is left behind. */
MUST_CHECK enum error_kind plan_guard_begin(struct plan_guard *guard,
                                            const struct plan_guard_options *options,
                                            const struct fleet_host *host, const char *root,
                                            struct error *error);
MUST_CHECK enum error_kind plan_guard_end(struct plan_guard *guard, struct error *error);

/* The bystander's sessions, which are companions of every trial. */
uint32_t plan_guard_sessions(const struct plan_guard *guard);

/* Whether the time for all is up: no probe should begin. */
bool plan_guard_is_out_of_time(const struct plan_guard *guard);

/* Whether what is left of it is for fresh trials: a third, or as long as they take. */
bool plan_guard_is_late(const struct plan_guard *guard, uint64_t fresh_ns);

/* Before each probe. After one that the guard has ended it waits until no read of the bystander was
 * slow for BRAKE_WINDOW_NS. A bystander that has lost a session is begun anew, with the same bound.
 * ERROR_NO_ANSWER if the servers do not recover in a minute, ERROR_INTERRUPTED, and those of
 * bystander_begin; plan_guard_end is due in any case. */
MUST_CHECK enum error_kind plan_guard_open(struct plan_guard *guard, struct error *error);

/* Checks the probe's requests and lost connections so far: while it runs, and once after it,
 * because it may be shorter than the time between two calls. */
void plan_guard_note(struct plan_guard *guard, uint64_t rpcs, uint64_t losses);

/* Whether the probe may go on. False until plan_guard_open, once it is. */
bool plan_guard_allows(struct plan_guard *guard);

/* Ends the watch over a probe that has ended, with the connections that its sessions have lost.
 * Returns why the guard has ended it, or would have. */
enum plan_guard_reason plan_guard_close(struct plan_guard *guard, uint64_t losses);

#endif
