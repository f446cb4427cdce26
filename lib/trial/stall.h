// SPDX-License-Identifier: Apache-2.0
/*
 * stall: detects that a server owes an answer while no session receives anything. Layer: trial,
 * below the monitor, which calls stall_look about ten times a second.
 *
 * A silence begins when the workers' counters change for the last time. After half a second of
 * silence the workers report what each session is doing (shared_inquire); before that, nothing is
 * added to the measured path. A server owes something if a request has no reply, or if all sessions
 * wait for notifications. It owes nothing during a hold, a pause of a recipe, the wait for a
 * session to expire, or a wait for the plan's rate (stall_rest), nor if a reply has arrived and was
 * not read.
 *
 * Invariant: time in which zkherd itself did not run is never a stall of a server. It is counted
 * apart, in absent_ns.
 */
#ifndef TRIAL_STALL_H
#define TRIAL_STALL_H

#include "base/clock.h"
#include "trial/trial.h"

/* A silence is a stall when it is longer than this, and longer than so many times the median
 * latency of the trial so far (docs/method.md). Where none was found, the longest time in which a
 * server has owed one answer is a stall from STALL_BRIEF_NS on, if it is more than half of the time
 * from the gate to the last release, or, as a part of a handoff, of the drain, and longer than
 * STALL_BRIEF_LATENCIES times the median. */
#define STALL_LEAST_NS        NS_PER_S
#define STALL_LATENCIES       50
#define STALL_BRIEF_NS        (100 * NS_PER_MS)
#define STALL_BRIEF_LATENCIES 10

struct stall {
    struct trial_memory *memory;     /* NULL: not begun, or ended */
    uint64_t moved;                  /* the sum of the workers' counters */
    uint64_t since_ns;               /* when that sum was first seen */
    uint64_t absent_ns;              /* how long since then the coordinator was not run */
    uint64_t asked_ns;               /* when the workers were asked in this silence; 0: not yet */
    bool answered;                   /* the workers have reported: the next two fields are known */
    bool request_is_out;             /* some session waits for a reply */
    bool is_owed;                    /* that, or all sessions wait for notifications */
    uint64_t bound_ns;               /* a longer silence is a stall */
    uint64_t median_ns;              /* the median latency that it follows from; 0: from none */
    uint64_t began_ns;               /* when the gate opened */
    bool is_measured;                /* bound_ns follows from latencies of this trial */
    char server[ENDPOINT_TEXT_SIZE]; /* at which most sessions wait; "": not known */
    struct stalls found;
};

/* The gate opens, at now_ns: what a worker did not run before is forgotten. */
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
