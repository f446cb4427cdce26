// SPDX-License-Identifier: Apache-2.0
/*
 * load_faults: kills private servers and starts them again while a load runs, and looks when they
 * are back; and what the sessions find out about that. Layer: load.
 *
 * For the coordinator: a turn kills or starts servers, or asks one server what it is (srvr), which
 * takes a few milliseconds. Before a kill all servers are asked.
 *
 * Invariant: a kill leaves a quorum of servers that serve; a fault that finds no such server waits
 * until there is one, until the next fault is due, or until the measured time ends: then it is not
 * carried out, and the result says why.
 */
#ifndef LOAD_LOAD_FAULTS_H
#define LOAD_LOAD_FAULTS_H

#include "load/load_result.h"

/* ------------------------------------------------------------------ outages
 *
 * What the sessions find out: how soon after a fault an operation is completed (answered as
 * foreseen), how long none is, and how many are in each tenth of a second. Times are since the
 * measured time began. A millisecond without a completed operation is silent.
 *
 * Invariant: recording neither allocates nor locks; all sessions may record at once. */

/* In the coordinator's hands. */
struct outages_fault {
    uint64_t began_ns; /* what is timed begins here */
    uint64_t ended_ns; /* what was sent from here on was sent after the fault */
};

struct outages {
    const struct load_plan *plan;
    _Atomic uint32_t begun; /* faults that the sessions know of */
    struct outages_fault *faults;
    /* By all sessions: */
    _Atomic uint64_t (*first_ns)[OUTAGES_KINDS];  /* of each fault: +1; 0: none yet */
    _Atomic uint32_t (*completed)[OUTAGES_KINDS]; /* in each millisecond */
};

struct outages *outages_lay_out(const struct load_plan *plan, struct shared_layout *layout);

/* The next fault has happened. For the coordinator; at most as often as the plan has faults. */
void outages_begin(struct outages *outages, uint64_t began_ns, uint64_t ended_ns);

/* An operation was completed. */
void outages_record(struct outages *outages, bool reads, uint64_t sent_ns, uint64_t now_ns);

/* From the beginning of a fault to the first completion of an operation that was sent after the
 * fault, and before the next one; UINT64_MAX: there was none. */
uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind);

/* The longest silence between these two, in whole milliseconds. */
uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind);

/* ------------------------------------------------------------------ faults */

/* What is known of a server. */
struct load_faults_server {
    bool was_killed;     /* ever */
    bool awaited;        /* it was started, and has not been seen to serve */
    uint32_t fault;      /* that has started it */
    uint64_t in_vain_ns; /* when it last was asked in vain, on the loop's clock; 0: not yet */
};

struct load_faults {
    const struct load_plan *plan;
    struct ensemble *ensemble;
    struct outages *outages;
    struct load_fault_result *results; /* of every fault of the plan; the caller's */
    uint64_t measures_ns;              /* the measured time of the loop's clock; UINT64_MAX: */
    uint64_t settles_ns;               /* not known yet */
    uint32_t next;                     /* fault */
    struct load_faults_server servers[ENSEMBLE_SERVERS_MAX];
    bool leaderless;   /* a leader was killed, and no other was seen to lead */
    uint32_t orphaned; /* the fault that has killed it */
    uint32_t asked;    /* the server that was asked last */
    uint64_t words;    /* four-letter words that servers were asked, answered or not */
    uint64_t turned_ns;
};

/* results: as many as the plan has faults. */
void load_faults_init(struct load_faults *faults, const struct load_plan *plan,
                      struct ensemble *ensemble, struct outages *outages,
                      struct load_fault_result *results);

/* When the next turn is due; UINT64_MAX: never. */
uint64_t load_faults_due_ns(const struct load_faults *faults);

/* Does what is due at this time. Errors of ensemble_kill and ensemble_restart. */
MUST_CHECK enum error_kind load_faults_turn(struct load_faults *faults, uint64_t now_ns,
                                            struct error *error);

/* When no session records any more: completes the results, and marks each server of the faults that
 * were carried out. */
void load_faults_take(struct load_faults *faults, struct load_marks *marks);

#endif
