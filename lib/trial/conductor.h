// SPDX-License-Identifier: Apache-2.0
/*
 * conductor: leads the workers of one trial from its gate to its end. Layer: trial.
 *
 * Under lockstep it moves one session at a time, and takes the next step only when everything has
 * come to rest: nobody is busy, and every notification that the law foretells for the step has
 * come. It compares the ledger with the law after every step. In free pace it opens the gate and
 * waits.
 */
#ifndef TRIAL_CONDUCTOR_H
#define TRIAL_CONDUCTOR_H

#include "base/fault.h"
#include "trial/crew.h"
#include "trial/oracle.h"
#include "trial/steward.h"

#include <stdbool.h>
#include <stdint.h>

/* What is shown while a trial runs. */
struct trial_progress {
    uint64_t handoffs;     /* grants so far */
    uint64_t handoffs_due; /* UINT64_MAX when the time decides */
    uint64_t rpcs;
    uint64_t elapsed_ns; /* since the gate opened; 0 while sessions are being opened */
    uint32_t established;
};

/* How a trial is watched over from outside. */
struct trial_watch {
    /* Called about ten times a second; may be NULL. */
    void (*progress)(void *context, const struct trial_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
};

/* How a trial has ended, when it could be led to an end at all. */
enum conductor_end {
    END_DONE,
    END_VIOLATION, /* a verdict failed: the rest would mean nothing */
    END_DEADLINE,  /* nothing moved for the plan's timeout */
    END_LOST,      /* a session cannot go on */
    END_OVERFLOW,  /* more handoffs than the ledger has rows */
};

struct conductor_result {
    enum conductor_end end;
    struct tally law;              /* what the law foretells for all that was done; lockstep only */
    uint64_t gate_ns;              /* when the gate opened */
    struct oracle_reading at_gate; /* the servers, just before */
};

/*
 * Leads the trial until all is done or cannot go on, and has the workers take their last readings.
 * The workers run already; their sessions are still open afterwards. FAULT_INTERRUPTED,
 * FAULT_WORKER_DIED, FAULT_WORKER_HANGS, FAULT_NO_ANSWER (the sessions could not be established in
 * time), a worker's own fault, or one of a server that no longer answers (oracle_read).
 */
MUST_CHECK enum fault_kind conductor_lead(const struct crew *crew, struct steward *steward,
                                          const struct oracle *oracle,
                                          const struct trial_watch *watch,
                                          struct conductor_result *result, struct fault *fault);

#endif
