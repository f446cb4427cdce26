// SPDX-License-Identifier: Apache-2.0
/*
 * lockstep: leads a trial one step at a time, and compares each step with the law. Layer: trial,
 * below coordinator.
 *
 * A step moves one session, or all sessions that wait at a turn. The step is complete when no
 * session is busy and all notifications that the law predicts for the step have been received. Then
 * the row of the ledger must equal the law's. On several servers an arrival waits until each of
 * them has carried out what any of them has, so that a session that reads before it writes reads
 * the latest state.
 *
 * After a death or the loss of a connection the law predicts nothing. A step is then complete when
 * nothing has moved for a while, and no count is compared any more.
 *
 * If the plan has a max_rate, the lockstep waits before each step and at the end until the number
 * of requests since the gate is within that rate. Nothing waits within a step.
 */
#ifndef TRIAL_LOCKSTEP_H
#define TRIAL_LOCKSTEP_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "recipes/law.h"
#include "trial/monitor.h"

#include <stdbool.h>
#include <stdint.h>

struct lockstep_lock {
    struct law_lock law;
    struct tally expected; /* what the law predicts for the present row */
    uint64_t before;       /* notifications that the law predicted for the row before */
};

struct lockstep {
    struct trial_memory *memory;
    struct monitor *monitor;
    struct setup_session *setup;
    const struct server_counters_reading *at_gate;
    struct lockstep_lock *locks;
    struct tally *law;    /* what the law predicts for all steps so far */
    uint64_t gate_ns;     /* when lockstep_lead was called */
    uint64_t messages;    /* requests, notifications and steps, when last read */
    uint64_t messages_ns; /* when that number last changed */
};

/* Prepares to lead the monitor's trial, whose plan has PACE_LOCKSTEP. What the law predicts is
 * added to *law. at_gate is read after the gate has opened: what the servers had counted by then.
 * All arguments must outlive the lockstep. lockstep_deinit must be called in any case.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind lockstep_init(struct lockstep *lockstep, struct monitor *monitor,
                                         struct setup_session *setup,
                                         const struct server_counters_reading *at_gate,
                                         struct tally *law);
void lockstep_deinit(struct lockstep *lockstep);

/* The gate is open: leads to the end of the last release. Errors are those of watchdog_wait and of
 * setup_session_exists. */
MUST_CHECK enum fleet_end lockstep_lead(struct lockstep *lockstep);

#endif
