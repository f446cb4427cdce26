// SPDX-License-Identifier: Apache-2.0
/*
 * watchdog: waiting while a trial goes on, with an eye on all that may end it too early. Layer:
 * trial, below coordinator.
 *
 * Whatever waits in a led trial waits here: so a worker that died, a server that is gone, a signal,
 * a failed verdict and a trial in which nothing moves are seen wherever it is.
 */
#ifndef TRIAL_WATCHDOG_H
#define TRIAL_WATCHDOG_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/workers.h"
#include "trial/stall.h"

#include <stdbool.h>
#include <stdint.h>

/* As long as nothing happens, progress is shown, and the servers are looked at, so often. */
#define WATCHDOG_TURN_NS (100 * NS_PER_MS)

/* What is shown while a trial runs. */
struct trial_progress {
    uint64_t handoffs;     /* grants so far */
    uint64_t handoffs_due; /* UINT64_MAX when the time decides */
    uint64_t arrivals;     /* so far */
    uint64_t
        arrivals_due; /* each client's first, while they come one by one before all else; else 0 */
    uint64_t rpcs;
    uint64_t elapsed_ns; /* since the gate opened; 0 while sessions are being opened */
    uint32_t established;
    uint64_t stalled_ns; /* how long a server has owed an answer and nothing came; 0: none does */
    const char *stalled_at; /* that server's address; "": not known */
};

/* How a trial is watched over from outside. */
struct trial_watch {
    /* Called about ten times a second; may be NULL. */
    void (*progress)(void *context, const struct trial_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
};

/* How a trial has ended; and what a function that leads a part of it returns. */
enum trial_end {
    END_DONE,      /* this part is done: the trial goes on, or was the whole of it */
    END_VIOLATION, /* a verdict failed: the rest would mean nothing */
    END_DEADLINE,  /* nothing moved for the plan's timeout */
    END_LOST,      /* a session cannot go on */
    END_OVERFLOW,  /* more handoffs than the ledger has rows */
    END_ERROR,     /* it could not be led to an end: watchdog->error says why */
};

static inline enum trial_end trial_end_of(enum error_kind kind)
{
    return kind == ERROR_NONE ? END_DONE : END_ERROR;
}

struct watchdog {
    struct lock_board *board;
    const struct workers *workers;
    struct server_counters *counters;
    const struct loop *loop;
    const struct trial_watch *watch;
    struct error *error;
    uint64_t steps;      /* of the workers, when last looked at */
    uint64_t moved_ns;   /* when these last moved on */
    uint64_t closes_ns;  /* steady by time: when no more arrivals are let in; else UINT64_MAX */
    uint64_t opened_ns;  /* the gate, on the host's clock, as the next two; 0: not yet */
    uint64_t shown_ns;   /* progress */
    uint64_t checked_ns; /* the server */
    struct stall stall;
};

/* Waits once for something to happen, for most_ns at most, and looks around. END_ERROR is for
 * ERROR_INTERRUPTED, ERROR_WORKER_DIED, a worker's own error, or one of a server that is gone. */
MUST_CHECK enum trial_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns);

/* The same without looking around: what has ended is not found out. */
MUST_CHECK enum error_kind watchdog_turn(const struct watchdog *watchdog, uint64_t most_ns);

/* server_counters_follow, in the middle of the trial: a server that takes long to answer stalls. */
MUST_CHECK enum error_kind watchdog_follow(struct watchdog *watchdog, uint64_t *mark,
                                           bool *reached);

/* Waits until every server has carried out what any of them had when it was first asked: nothing
 * then, if there is one alone. Errors are those of watchdog_wait and of server_counters_follow. */
MUST_CHECK enum trial_end watchdog_catch_up(struct watchdog *watchdog);

/* Lets no more arrivals in if the time for that has come. */
void watchdog_close_in_time(const struct watchdog *watchdog);

#endif
