// SPDX-License-Identifier: Apache-2.0
/*
 * trial: one trial from its fresh root znode to its result. Layer: trial; the top of the library.
 *
 * Invariant: whatever the outcome, no process, no session and no znode of the trial is left behind.
 * A session whose end no server confirms in time ends with its timeout.
 */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "base/error.h"
#include "capacity/utilisation.h"
#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "fleet/watchdog.h"
#include "measure/histogram.h"
#include "measure/tally.h"
#include "servers/ensemble.h"
#include "trial/trial_memory.h"
#include "trial/trial_plan.h"

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
    const char *stalled_at; /* that server's address; "": not known */
};

/* How a trial is watched over from outside. Every function may be NULL. */
struct trial_watch {
    /* Called about ten times a second. */
    void (*progress)(void *context, const struct trial_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
    /* Asked after every wait: whether what is to go on beside the trial still does; if not, the
     * trial ends, END_ALONE. */
    bool (*has_company)(void *context);
    /* The gate opens; the last session has finished, or the trial ends early. */
    void (*opened)(void *context);
    void (*ended)(void *context);
    /* Steady, asked after every wait, while the workers write to the memory: whether what has been
     * measured since the gate is enough, so that no more arrivals are let in. */
    bool (*has_enough)(void *context, const struct trial_memory *memory, uint64_t elapsed_ns);
};

/* Where trials run: on servers, or each in a simulation of its own. */
struct trial_host {
    struct setup_session *setup;          /* a simulation has its own */
    const struct connect_string *servers; /* all of them: the plan's may be a part; those of a
                                             simulation have their numbers, from 1, as ports */
    struct ensemble *ensemble;            /* NULL: the servers are somebody else's */
    const struct sim_options *simulation; /* for DRIVER_SIMULATED; its seed is the plan's */
    uint32_t companions;                  /* sessions of a load in the background */
    struct trial_watch watch;
};

/* All stalls of a trial. */
struct stalls {
    uint32_t count;
    uint64_t total_ns;
    uint64_t longest_ns;
    char server[ENDPOINT_TEXT_SIZE]; /* that owed an answer in the longest; "": not known */
    uint64_t absent_ns; /* the longest time for which the trial waited for zkherd itself */
};

struct trial_result {
    enum fleet_end end;
    char reason[512]; /* why it did not end well; "" when it did */
    /* Why the measurement of a trial that was led to its end is not valid; else "". */
    char not_valid[160];
    struct tally total;
    bool has_law; /* lockstep, led to its end, nobody died, and nobody lost its connection */
    struct tally law;
    uint64_t handoffs;
    uint64_t elapsed_ns; /* from the gate to the answer to the last release */
    uint64_t client_ns;  /* from the gate to the answer to a client's last release: the mean over
                            those that have released */
    uint64_t drain_ns;   /* from the first release sent to the answer to the last */
    uint64_t client_cpu_ns;
    uint64_t client_rss_kib; /* of all worker processes; what they share is counted for each */
    uint64_t reconnects;
    struct stalls stalls;  /* from the gate to the end */
    uint32_t losses;       /* of connections, from the gate on; one lost before may count as well */
    bool had_death;        /* a session died, or lost a reply, as planned */
    uint32_t died_session; /* if so: which, and in which handoff of its lock, as in the ledger */
    uint64_t died_handoff;
    uint64_t recovery_ns; /* from the death to the next grant of that lock; 0: there was none */
    uint64_t repairs;     /* how often a holder mended what a crash had left */
    uint64_t tasks_done;  /* how often a task of a list was run to its end */
    uint64_t inversions;
    double fairness_jain;
    struct server_counters_count servers; /* from the gate to the end */
    enum reconciled reconciled;
    int64_t others_packets;    /* reconcile_result.others_packets */
    char not_reconciled[160];  /* why it is RECONCILED_NA, in a trial that was led to its end */
    struct histogram *latency; /* METER_KINDS of them, in `memory` like the others */
    struct histogram (*latency_of)[METER_KINDS]; /* the same for each role, ROLES of them */
    unsigned roles;                              /* how many roles have any latency */
    struct histogram *late;                      /* how late holds of more than 0 ended */
    uint32_t violation_count;
    struct trial_memory *memory; /* the ledger, the violations kept, the sessions */
};

/*
 * Runs a trial. On success (of the run: the trial itself may have failed its verdict or its
 * deadline, which the result says) *result is the caller's to trial_result_free. The plan must
 * outlive the result.
 */
MUST_CHECK enum error_kind trial_run(const struct trial_plan *plan, const struct trial_host *host,
                                     struct trial_result **result, struct error *error);

/* NULL is fine. */
void trial_result_free(struct trial_result *result);

/*
 * The figures of a steady trial that was led to its end, for capacity/utilisation.h. Requests and
 * bytes are those of the handoffs of the steady part, by the ledger; another trial than a steady
 * one in free pace has none, and what was not measured is NaN or 0, as utilisation.h says. cores:
 * that zkherd and its private servers may use together (base/cores.h); server_percent: the CPU
 * share of each private server, 0: no limit.
 */
void trial_utilisation_take(const struct trial_result *result, double cores,
                            unsigned server_percent, struct utilisation_figures *figures);

#endif
