// SPDX-License-Identifier: Apache-2.0
/*
 * handoff: who holds a lock, who waits for it, and the handoff under way. Layer: trial, above the
 * lock memory.
 *
 * A handoff begins with a release or with the death of the holder. It opens a row in the ledger,
 * whose number is the handoff's, and ends with the grants that follow.
 *
 * Invariant: a handoff has begun before anybody can see what follows from it.
 */
#ifndef TRIAL_HANDOFF_H
#define TRIAL_HANDOFF_H

#include "client/client.h"
#include "trial/trial_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Instead of a time since the release: there is no release to count from. */
#define HANDOFF_NONE UINT64_MAX

/* The number of the handoff under way at this lock; 0 before the first release. */
uint64_t handoff_number(const struct trial_memory *memory, uint32_t lock);

/* The ledger's row of the handoff under way. */
struct ledger_row *handoff_row(const struct trial_memory *memory, uint32_t lock);

/* Sessions that wait at this lock and live. */
uint64_t handoff_waiting(const struct trial_memory *memory, uint32_t lock);

/* The session +1 that holds this lock alone and lives; 0 if there is none. */
uint32_t handoff_holder(const struct trial_memory *memory, uint32_t lock);

/* Whether a session that has released this lock may queue again (at the next lock, if the plan's
 * clients take every lock), and counts it as admitted then. */
bool handoff_admits(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A release is about to be sent, or the holder dies: opens the next row, and counts the waiting
 * sessions. Lets no more arrivals in when the ledger is running out of rows. */
void handoff_begin(struct trial_memory *memory, uint32_t lock, uint64_t now_ns, bool holder_died);

/* The time from the release to a notification that follows from it; HANDOFF_NONE for another
 * notification. */
uint64_t handoff_notification_ns(const struct trial_memory *memory, uint32_t lock,
                                 enum client_event event, uint64_t now_ns);

/* The time from the release to a grant that follows from it; HANDOFF_NONE for another grant. To be
 * called after checker_granted. arrived_ns: when the granted session arrived. */
uint64_t handoff_grant_ns(const struct trial_memory *memory, uint32_t lock, uint64_t arrived_ns,
                          uint64_t now_ns);

/* Fills the grant into the handoff's row. grant_ns: of handoff_grant_ns. */
void handoff_granted(struct trial_memory *memory, uint32_t lock, uint32_t session,
                     uint64_t grant_ns, uint64_t now_ns);

#endif
