// SPDX-License-Identifier: Apache-2.0
/*
 * stall: detects that a server owes an answer while no session receives anything. Layer: trial,
 * below monitor.
 *
 * The coordinator calls stall_look about ten times a second. A silence begins when the workers'
 * counters change for the last time. After half a second of silence the workers report what each
 * session is doing (shared_inquire); before that, nothing is added to the measured path. A server
 * owes something if a request has no reply, or if all sessions wait for notifications. It owes
 * nothing during a hold, a pause of a recipe, the wait for a session to expire, or a wait for the
 * plan's rate (stall_rest), nor if a reply has arrived and was not read.
 *
 * Invariant: time in which zkherd itself did not run is never a stall of a server. It is counted
 * apart, in absent_ns.
 */
#ifndef TRIAL_STALL_H
#define TRIAL_STALL_H

#include "base/clock.h"
#include "client/connect.h"
#include "trial/trial_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* A silence is a stall when it is longer than this, and longer than so many times the median
 * latency of the trial so far (docs/counting.md). */
#define STALL_LEAST_NS  NS_PER_S
#define STALL_LATENCIES 50

/* All stalls of a trial. */
struct stalls {
    uint32_t count;
    uint64_t total_ns;
    uint64_t longest_ns;
    char server[ENDPOINT_TEXT_SIZE]; /* that owed an answer in the longest; "": not known */
    uint64_t absent_ns; /* the longest time for which the trial waited for zkherd itself */
};

struct stall {
    struct trial_memory *memory;     /* NULL: not begun */
    uint64_t moved;                  /* the sum of the workers' counters */
    uint64_t since_ns;               /* when that sum was first seen */
    uint64_t absent_ns;              /* how long since then the coordinator was not run */
    uint64_t asked_ns;               /* when the workers were asked in this silence; 0: not yet */
    bool answered;                   /* the workers have reported: the next two fields are known */
    bool request_is_out;             /* some session waits for a reply */
    bool is_owed;                    /* that, or all sessions wait for notifications */
    uint64_t bound_ns;               /* a longer silence is a stall */
    bool is_measured;                /* bound_ns follows from latencies of this trial */
    char server[ENDPOINT_TEXT_SIZE]; /* at which most sessions wait; "": not known */
    struct stalls found;
};

/* The gate opens, at now_ns. */
void stall_begin(struct stall *stall, struct trial_memory *memory, uint64_t now_ns);

/* Reads the workers' counters. absent_ns: how long the coordinator was not run since the last look,
 * beyond the wait that it had asked for. */
void stall_look(struct stall *stall, uint64_t now_ns, uint64_t absent_ns);

/* Until now the trial has waited as planned: the silence of that wait is not a stall. */
void stall_rest(struct stall *stall, uint64_t now_ns);

/* In the middle of the trial a server has just answered the coordinator's own question, after
 * waited_ns. Time that is counted here is not counted again with the silence around it. */
void stall_question(struct stall *stall, uint64_t now_ns, uint64_t waited_ns);

/* The end of the trial: counts the present silence. At the deadline it is counted only if a request
 * has no reply: if all sessions wait for notifications, the recipe may have lost a wake-up. */
void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline);

/* How long the present stall has lasted; 0: there is none. */
uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns);

#endif
