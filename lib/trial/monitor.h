// SPDX-License-Identifier: Apache-2.0
/*
 * monitor: what a trial of locks adds to its fleet's watchdog: it shows progress, ends the trial at
 * the first failed verdict, and measures the stalls of servers. Layer: trial, below coordinator.
 */
#ifndef TRIAL_MONITOR_H
#define TRIAL_MONITOR_H

#include "fleet/watchdog.h"
#include "trial/stall.h"

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

struct monitor {
    struct watchdog watchdog; /* whatever leads the trial waits there */
    struct trial_memory *memory;
    const struct trial_watch *watch;
    uint64_t gate_ns;   /* when the gate opened */
    uint64_t closes_ns; /* steady by time: when no more arrivals are let in; else UINT64_MAX */
    uint64_t opened_ns; /* the gate, on the host's clock; 0: not yet */
    uint64_t shown_ns;  /* the last progress, on the host's clock */
    struct stall stall;
};

/* Prepares to watch the fleet of these workers, whose kind is a struct trial_memory. All that is
 * given must outlive the monitor, which must not be moved. */
void monitor_init(struct monitor *monitor, const struct workers *workers,
                  struct server_counters *counters, const struct loop *loop,
                  const struct trial_watch *watch, struct error *error);

/* The gate opens, at this time of the loop. */
void monitor_open(struct monitor *monitor, uint64_t gate_ns);

/* Until now the trial has waited as planned: no server is to answer for that. */
void monitor_rest(struct monitor *monitor);

/* Lets no more arrivals in if the time for that has come, or if enough has been measured. */
void monitor_close_in_time(const struct monitor *monitor);

#endif
