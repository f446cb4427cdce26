// SPDX-License-Identifier: Apache-2.0
/*
 * plan_guard: keeps the probes of a search from harming others: a bystander beside them, and a
 * brake. Layer: bench/probe.
 *
 * The bystander (load/bystander.h) reads from every server, from plan_guard_begin to
 * plan_guard_end, alone at first. The brake (capacity/brake.h) compares its response times with a
 * bound: the given one, or one that follows from its p99 alone. A probe is also ended when its own
 * sessions lose connections, when it sends more requests a second than it may, and when the time
 * for all is up.
 *
 *   plan_guard_begin       once; in a simulation, where nobody else is, it watches the rate
 *                          and the time alone
 *     plan_guard_open      before each probe: waits until the bystander is served in time
 *     plan_guard_note      in the trial's callback progress, and once after a trial of real
 *                          sessions, which may be shorter than the time between two callbacks
 *     plan_guard_allows    in the trial's callback has_company: false ends the trial at once,
 *                          END_ALONE, and the trial clears up after itself as always
 *     plan_guard_close     after each probe: why the guard has ended the probe, if it has
 *   plan_guard_end         once
 *
 * The trial is to be run with plan_guard_sessions more companions (struct trial_host, struct
 * load_host). A load that is measured before a trial is a part of the probe: struct load_watch has
 * the same callback, and load_background_begin returns false when the guard has ended the load.
 *
 * An interruption by the user is none of the guard's: it is ERROR_INTERRUPTED, from the
 * trial or from plan_guard_open.
 *
 * Invariant: a probe that the guard has ended is never judged by what was measured of it:
 * plan_guard_is_harm says whether its verdict is JUDGE_BRAKED, or whether the search is over.
 */
#ifndef BENCH_PROBE_PLAN_GUARD_H
#define BENCH_PROBE_PLAN_GUARD_H

#include "bench/cli/arguments.h"
#include "load/bystander.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 100 reads of each server. */
#define PLAN_GUARD_ALONE_NS (10 * NS_PER_S)

struct plan_guard_options {
    uint64_t brake_ns;    /* the bound of the bystander's response times; 0: from its p99 alone */
    uint64_t max_rate;    /* requests a second of a probe; 0: no limit */
    uint64_t max_time_ns; /* from plan_guard_begin on; 0: no limit */
    uint64_t alone_ns;    /* that the bystander reads alone; 0: PLAN_GUARD_ALONE_NS */
};

/* The rows of the options; `place` is a struct plan_guard_options of `type`. */
#define ROW_BRAKE(type, place)                                                                     \
    {                                                                                              \
        .name = "--brake", OPTION_DURATION(type, place.brake_ns, NS_PER_MS),                       \
        .help =                                                                                    \
            "      --brake D            end a probe if a quarter of a bystander's reads take\n"    \
            "                           longer than D [10 times their p99, 100ms to 2s]\n"         \
    }

#define ROW_MAX_RATE(type, place)                                                                  \
    {                                                                                              \
        .name = "--max-rate", OPTION_NUMBER(type, place.max_rate, 1, 1000000000),                  \
        .help = "      --max-rate R         end a probe with more than R requests a second\n"      \
    }

#define ROW_MAX_TIME(type, place)                                                                  \
    {                                                                                              \
        .name = "--max-time", OPTION_DURATION(type, place.max_time_ns, NS_PER_S),                  \
        .help = "      --max-time D         end the search after D\n"                              \
    }

/* Why the guard has ended a probe. */
enum plan_guard_reason {
    PLAN_GUARD_NONE,      /* it has not */
    PLAN_GUARD_BYSTANDER, /* a bystander has suffered: struct plan_guard says how */
    PLAN_GUARD_LOSSES,    /* sessions of the probe have lost their connections */
    PLAN_GUARD_RATE,      /* it sent more requests a second than it may */
    PLAN_GUARD_TIME,      /* the time for all is up: the search is over */
};

struct plan_guard {
    struct plan_guard_options options;
    struct load_host host;
    const char *root; /* of the bystander; the caller's */
    bool has_bystander;
    struct bystander bystander;
    uint64_t begun_ns;
    uint64_t alone_p99_ns; /* the highest of all servers; 0: no bystander */
    uint64_t bound_ns;     /* of the bystander's response times; 0: no bystander */
    /* Of the present probe, or the last one. */
    enum plan_guard_reason reason;
    enum brake_reason suffered; /* PLAN_GUARD_BYSTANDER: how, and at which server, from 0 */
    uint32_t server;
    uint64_t rate;   /* PLAN_GUARD_RATE: requests in a second */
    uint64_t losses; /* PLAN_GUARD_LOSSES */
    uint64_t looked_ns;
    uint64_t rated_ns; /* when rpcs was read */
    uint64_t rpcs;
    struct brake brakes[CONNECT_ENDPOINTS_MAX]; /* of each session of the bystander */
};

/*
 * Begins to guard a search whose trials have this driver: on real servers opens the bystander's
 * sessions, and reads alone. host: as for a load; its watch is asked for
 * interruptions alone. root: the path of a znode that does not exist yet, below the root znode of
 * the search. root and what host points to must outlive plan_guard_end, and *guard must not be
 * moved. On an error nothing is left behind. Errors are those of bystander_begin.
 */
MUST_CHECK enum error_kind plan_guard_begin(struct plan_guard *guard,
                                            const struct plan_guard_options *options,
                                            enum driver driver, const struct load_host *host,
                                            const char *root, struct error *error);

/* The bystander's sessions, which are companions of every trial. */
uint32_t plan_guard_sessions(const struct plan_guard *guard);

/* Whether the time for all is up: no probe should begin. */
bool plan_guard_is_out_of_time(const struct plan_guard *guard);

/*
 * Before a probe: waits until no read of the bystander was slow for BRAKE_WINDOW_NS; at once if the
 * servers have been calm. A bystander that has lost a session is begun anew, with the same bound.
 * ERROR_NO_ANSWER if the servers do not recover in a minute, ERROR_INTERRUPTED, and those of
 * bystander_begin; plan_guard_end is due in any case.
 */
MUST_CHECK enum error_kind plan_guard_open(struct plan_guard *guard, struct error *error);

/* While a probe runs: its requests so far, and the connections that its sessions have lost. */
void plan_guard_note(struct plan_guard *guard, uint64_t rpcs, uint64_t losses);

/* Whether the probe may go on. May be asked at any rate. Once false it stays false until
 * plan_guard_open. */
bool plan_guard_allows(struct plan_guard *guard);

/* After a probe that has ended in whatever way, its sessions having lost so many connections: why
 * the guard has ended it, or would have. */
enum plan_guard_reason plan_guard_close(struct plan_guard *guard, uint64_t losses);

/* Whether a probe that was ended for this reason is to be judged JUDGE_BRAKED. */
bool plan_guard_is_harm(enum plan_guard_reason reason);

/* Writes why the last probe was ended, as a clause: "a bystander's reads took longer than 100 ms at
 * zk1:2181"; "" if it was not. size >= 200. Returns text. */
const char *plan_guard_describe(const struct plan_guard *guard, char *text, size_t size);

/* Ends the bystander. Errors are those of load_trial_end. */
MUST_CHECK enum error_kind plan_guard_end(struct plan_guard *guard, struct error *error);

#endif
