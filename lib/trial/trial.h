// SPDX-License-Identifier: Apache-2.0
/*
 * trial: one trial from its fresh root znode to its result. Layer: trial; the top of the library.
 *
 * Creates the znodes, forks the workers, has the coordinator lead them, reads the servers'
 * counters, checks what is left, deletes it, and adds up.
 *
 * Invariant: whatever the outcome, no process, no session and no znode of the trial is left behind.
 * A session whose end no server confirms in time ends with its timeout.
 */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "fleet/watchdog.h"
#include "measure/histogram.h"
#include "measure/tally.h"
#include "servers/ensemble.h"
#include "trial/trial_memory.h"
#include "trial/trial_plan.h"
#include "trial/watch.h"

#include <stdbool.h>
#include <stdint.h>

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
    uint64_t client_rss_kib; /* of all workers; what they share is counted for each */
    uint64_t reconnects;
    struct stalls stalls; /* from the gate to the end */
    uint32_t losses;      /* of connections, from the gate on; one lost before may count as well */
    bool had_death;       /* a session died, or lost a reply, as planned */
    uint64_t recovery_ns; /* from the death to the next grant of that lock; 0: there was none */
    uint64_t repairs;     /* how often a holder mended what a crash had left */
    uint64_t tasks_done;  /* how often a task of a list was run to its end */
    uint64_t inversions;
    double fairness_jain;
    struct server_counters_count servers; /* from the gate to the end */
    enum reconciled reconciled;
    char not_reconciled[160];  /* why it is RECONCILED_NA, in a trial that was led to its end; else
                                  "" */
    struct histogram *latency; /* METER_KINDS of them */
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

#endif
