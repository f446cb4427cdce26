// SPDX-License-Identifier: Apache-2.0
/*
 * trial: one trial from its fresh root znode to its result. Layer: trial; the top of the library.
 *
 * Invariant: whatever the outcome, no process, no session and no znode of the trial is left behind.
 * A session whose end no server confirms in time ends with its timeout.
 */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "capacity/utilisation.h"
#include "trial/trial_memory.h"

/* ------------------------------------------------------------------ how it is watched */

/* The state of a running trial. */
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
    uint32_t losses;        /* of connections, as in struct trial_result */
    uint64_t stalled_ns;    /* length of the present stall of a server; 0: there is none */
    const char *stalled_at; /* that server's address; "": not known */
};

/* The caller's functions that a trial calls. Each may be NULL. */
struct trial_watch {
    /* About ten times a second. */
    void (*progress)(void *context, const struct trial_progress *progress);
    /* Steady, after every wait, while the workers write to the memory: whether what has been
     * measured since the gate is enough, so that no more arrivals are let in. */
    bool (*has_enough)(void *context, const struct trial_memory *memory, uint64_t elapsed_ns);
    void *context; /* of these two */
    /* For the host's company: the gate opens; the last session has finished, or the trial ends. */
    void (*opened)(void *company);
    void (*ended)(void *company);
};

/* ------------------------------------------------------------------ the result */

struct trial_result {
    enum fleet_end end;
    char reason[512]; /* why it did not end well; "" when it did */
    /* Why the measurement of a trial that was run to its end is not valid; else "". */
    char not_valid[160];
    struct tally total;
    bool has_law; /* lockstep, run to its end, without a death and without a lost connection */
    struct tally law;
    uint64_t handoffs;
    uint64_t elapsed_ns; /* from the gate to the answer to the last release */
    uint64_t client_ns;  /* from the gate to the answer to a client's last release: the mean */
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
    struct reconcile_result reconcile;    /* of a trial that was run to its end; else zero */
    struct histogram *latency;            /* METER_KINDS of them, in `memory` like the others */
    struct histogram (*latency_of)[METER_KINDS]; /* the same for each role, ROLES of them */
    unsigned roles;                              /* roles that have any latency */
    struct histogram *late;                      /* how late holds of more than 0 ended */
    uint32_t violation_count;
    struct trial_memory *memory; /* the ledger, the violations kept, the sessions */
};

/* Runs a trial; watch: NULL: none. On success (the trial itself may have failed, as the result
 * says) *result is the caller's to trial_result_free. The plan must outlive the result. */
MUST_CHECK enum error_kind trial_run(const struct trial_plan *plan, const struct fleet_host *host,
                                     const struct trial_watch *watch, struct trial_result **result,
                                     struct error *error);

/* NULL is fine. */
void trial_result_free(struct trial_result *result);

/* The figures of a steady trial that was run to its end. Requests and bytes are those of the
 * handoffs of the steady part, by the ledger: only a steady trial in free pace has them. What was
 * not measured is NaN or 0, as in utilisation.h. cores: that zkherd and its private servers may use
 * together (base/cores.h); server_percent: the CPU share of each private server, 0: no limit. */
void trial_utilisation_compute(const struct trial_result *result, double cores,
                               unsigned server_percent, struct utilisation_figures *figures);

#endif
