// SPDX-License-Identifier: Apache-2.0
/*
 * stall: detects that a server owes an answer while no session receives anything. Layer: trial,
 * below the monitor.
 *
 * A silence begins when the workers' counters change for the last time. After half a second of
 * silence the workers report what each session is doing (shared_inquire); before that, nothing is
 * added to the measured path. docs/method.md says what a server owes, and how long a stall is.
 *
 * Invariant: time in which zkherd itself did not run is never a stall of a server. It is counted
 * apart, in absent_ns.
 */
#ifndef TRIAL_STALL_H
#define TRIAL_STALL_H

#include "base/clock.h"
#include "trial/trial_memory.h"

/* The least length of a stall, and in median latencies of the trial so far; and the same of the one
 * that is looked for at the end of a trial in which none was found. */
#define STALL_LEAST_NS        NS_PER_S
#define STALL_LATENCIES       50
#define STALL_BRIEF_NS        (100 * NS_PER_MS)
#define STALL_BRIEF_LATENCIES 10

struct stall {
    struct trial_memory *memory;     /* NULL: not begun, or ended */
    uint64_t began_ns;               /* when the gate opened */
    uint64_t moved;                  /* the sum of the workers' counters */
    uint64_t since_ns;               /* when that sum was first seen */
    uint64_t absent_ns;              /* the time since then in which the coordinator was not run */
    uint64_t asked_ns;               /* when the workers were asked in this silence; 0: not yet */
    bool answered;                   /* the workers have reported: the next two fields are known */
    bool request_is_out;             /* some session waits for a reply */
    bool is_owed;                    /* that, or all sessions wait for notifications */
    uint64_t median_ns;              /* the trial's median latency; 0: not known yet */
    char server[ENDPOINT_TEXT_SIZE]; /* at which most sessions wait; "": not known */
    struct stalls found;
};

/* The gate opens, at now_ns: what a worker did not run before is forgotten. Before that, and after
 * stall_end, the other functions do nothing. */
void stall_begin(struct stall *stall, struct trial_memory *memory, uint64_t now_ns);

/* Reads the workers' counters, about ten times a second. absent_ns: the time since the last look in
 * which the coordinator was not run, beyond the wait that it had asked for. */
void stall_check(struct stall *stall, uint64_t now_ns, uint64_t absent_ns);

/* Until now the trial has waited as planned: the silence of that wait is not a stall. */
void stall_rest(struct stall *stall, uint64_t now_ns);

/* A server has just answered the coordinator's own question, after waited_ns. Time that is counted
 * here is not counted again with the silence around it. */
void stall_question(struct stall *stall, uint64_t now_ns, uint64_t waited_ns);

/* The end of the trial: counts the present silence. At the deadline it is counted only if a request
 * has no reply: if all sessions wait for notifications, the recipe may have lost a wake-up. */
void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline);

/* The length of the present stall; 0: there is none. */
uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns);

#endif
