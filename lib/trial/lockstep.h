// SPDX-License-Identifier: Apache-2.0
/*
 * lockstep: leads a trial one step at a time, and holds it against the law. Layer: trial, below
 * coordinator.
 *
 * It moves one session, or all that rest at a turn, and takes the next step only when everything
 * has come to rest: nobody is busy, and every notification that the law foretells for the step has
 * come. On several servers an arrival waits besides until all of them have carried out what any of
 * them has: who reads before it writes reads that. It compares the ledger with the law after every
 * step.
 *
 * After a death, or when a session has lost its connection, no law foretells what comes: then all
 * is at rest when nothing has moved for a while, and no count is compared any more.
 *
 * A plan's max_rate makes the lockstep wait before a step, and at the end, until the requests since
 * the gate are no more than the time since then allows: within a step nothing waits.
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

struct lockstep {
    struct lock_board *board;
    struct monitor *monitor;
    struct setup_session *setup;
    const struct server_counters_reading *at_gate;
    struct law_lock *laws;  /* a lock each */
    struct tally *expected; /* of each lock's present row */
    uint64_t *before;       /* notifications of the row before that, of each lock */
    struct tally *law;      /* what the law foretells for all that was done */
    uint64_t gate_ns;       /* when it began to lead */
    uint64_t messages;      /* sent and received, when last looked at */
    uint64_t messages_ns;   /* when one was last seen */
};

/* Prepares to lead the monitor's trial, whose plan has that pace; what the law foretells is added
 * to *law. at_gate: what the servers will have counted when the gate opens. All that is given must
 * outlive it. To be undone by lockstep_deinit in any case. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind lockstep_init(struct lockstep *lockstep, struct monitor *monitor,
                                         struct setup_session *setup,
                                         const struct server_counters_reading *at_gate,
                                         struct tally *law);
void lockstep_deinit(struct lockstep *lockstep);

/* The gate is open: leads to the end of the last release. Errors are those of watchdog_wait and of
 * setup_session_exists. */
MUST_CHECK enum fleet_end lockstep_lead(struct lockstep *lockstep);

#endif
