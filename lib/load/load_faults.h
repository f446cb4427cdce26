// SPDX-License-Identifier: Apache-2.0
/*
 * load_faults: kills servers and starts them again while a load runs, and looks when they are back.
 * Layer: load, below load_trial. For the coordinator, and for private servers alone.
 *
 * The coordinator calls load_faults_turn when load_faults_due_ns says so. A turn kills or starts
 * servers, or asks one server what it is (srvr), which usually takes a few milliseconds. Before a
 * kill all servers are asked.
 *
 * Invariant: a kill leaves a quorum of servers that serve; a fault that finds no such server waits
 * until there is one, until the next fault is due, or until the measured time ends: then it is not
 * carried out, and the result says why.
 */
#ifndef LOAD_LOAD_FAULTS_H
#define LOAD_LOAD_FAULTS_H

#include "base/error.h"
#include "load/load_marks.h"
#include "load/outages.h"
#include "load/plan.h"
#include "servers/ensemble.h"
#include "servers/role.h"

#include <stdbool.h>
#include <stdint.h>

/* How often a server is asked that is looked for, about. */
#define LOAD_FAULTS_LOOK_NS (10 * NS_PER_MS)

/* What has become of a fault. Times without a fault's name are since the measured time began. */
struct load_fault_result {
    bool carried_out;
    char why[96];                           /* why it was not; else "" */
    uint32_t count;                         /* servers */
    uint32_t servers[ENSEMBLE_SERVERS_MAX]; /* from 0 */
    enum role roles[ENSEMBLE_SERVERS_MAX];  /* just before; of a start: ROLE_UNKNOWN */
    uint64_t at_ns;
    uint64_t took_ns; /* until the processes had ended, or were started */
    /* Since the fault; UINT64_MAX: not within the measured time. */
    uint64_t first_operation_ns; /* that was sent after the fault, until its completion */
    uint64_t first_write_ns;
    uint64_t served_ns; /* of a start: when the last of its servers was seen to serve */
    uint64_t led_ns;    /* of a leader's death: when another server was seen to lead */
    /* By so much sooner the two may have come: the same server was asked in vain then. */
    uint64_t served_within_ns;
    uint64_t led_within_ns;
    uint32_t leader; /* the server that was seen to lead */
    /* The longest times until the next fault in which no operation, or no write, was completed. */
    uint64_t silence_ns;
    uint64_t write_silence_ns;
};

/* What a server was last asked for. */
struct load_faults_look {
    bool awaited;        /* it was started, and has not been seen to serve */
    uint32_t fault;      /* that has started it */
    uint64_t in_vain_ns; /* when it last was asked in vain, on the loop's clock; 0: not yet */
};

struct load_faults {
    const struct load_plan *plan;
    struct ensemble *ensemble;
    struct outages *outages;
    struct load_fault_result *results; /* of every fault of the plan; the caller's */
    uint64_t measures_ns;
    uint64_t settles_ns;
    uint32_t next;                         /* fault */
    bool was_killed[ENSEMBLE_SERVERS_MAX]; /* ever */
    struct load_faults_look looks[ENSEMBLE_SERVERS_MAX];
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

/* The measured time is from measures_ns to settles_ns of the loop's clock. */
void load_faults_start(struct load_faults *faults, uint64_t measures_ns, uint64_t settles_ns);

/* When the next turn is due; UINT64_MAX: never. */
uint64_t load_faults_due_ns(const struct load_faults *faults);

/* Does what is due at this time; nothing, if nothing is. Errors of ensemble_kill and
 * ensemble_restart. */
MUST_CHECK enum error_kind load_faults_turn(struct load_faults *faults, uint64_t now_ns,
                                            struct error *error);

/* When no session records any more: completes the results of the faults, and marks each server of
 * those that were carried out. */
void load_faults_take(struct load_faults *faults, struct load_marks *marks);

/* The word for what a fault does: a static string, "kill" or "restart". */
const char *load_fault_word(enum load_fault_action action);

#endif
