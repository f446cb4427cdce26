// SPDX-License-Identifier: Apache-2.0
/*
 * watch: how a trial is watched from outside, and the stalls of servers. Layer: trial.
 */
#ifndef TRIAL_WATCH_H
#define TRIAL_WATCH_H

#include "client/connect.h"
#include "trial/trial_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* What is shown while a trial runs. */
struct trial_progress {
    uint64_t handoffs;     /* grants so far */
    uint64_t handoffs_due; /* UINT64_MAX when the time decides */
    uint64_t passages;     /* entries and departures begun so far; 0: no barrier */
    uint64_t passages_due;
    uint64_t arrivals;     /* so far */
    uint64_t arrivals_due; /* before the first release under lockstep; else 0 */
    uint64_t rpcs;
    uint64_t elapsed_ns; /* since the gate opened; 0 while sessions are being opened */
    uint32_t established;
    uint32_t losses;     /* of connections, as in struct trial_result */
    uint64_t stalled_ns; /* how long a server has owed an answer and nothing came; 0: none does */
    const char *stalled_at;            /* that server's address; "": not known */
    const struct trial_memory *memory; /* what the sessions count meanwhile */
};

/* How a trial is watched over from outside. */
struct trial_watch {
    /* Called about ten times a second; may be NULL. */
    void (*progress)(void *context, const struct trial_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
    /* Whether what is to go on beside the trial still does, asked after every wait of the
     * coordinator: if not, the trial ends, END_ALONE. May be NULL. */
    bool (*has_company)(void *context);
    /* Called when the gate opens, and when the last session has finished or the trial ends early;
     * may be NULL. */
    void (*opened)(void *context);
    void (*ended)(void *context);
    /* Steady: whether what has been measured, so long after the gate has opened, is enough, so that
     * no more arrivals are let in. Asked after every wait of the coordinator, while the workers
     * write to the memory. May be NULL. */
    bool (*has_enough)(void *context, const struct trial_memory *memory, uint64_t elapsed_ns);
};

/* All stalls of a trial. */
struct stalls {
    uint32_t count;
    uint64_t total_ns;
    uint64_t longest_ns;
    char server[ENDPOINT_TEXT_SIZE]; /* that owed an answer in the longest; "": not known */
    uint64_t absent_ns; /* the longest time for which the trial waited for zkherd itself */
};

#endif
