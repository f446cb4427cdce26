// SPDX-License-Identifier: Apache-2.0
/*
 * handoff: who holds a lock, who waits for it, and the handoff under way. Layer: trial, above the
 * lock board.
 *
 * A handoff begins with a release, or with its holder's death, which opens its row in the ledger,
 * and has the grants that follow from it. Its number is that of the row.
 *
 * Invariant: a handoff has begun before what follows from it can be seen by anybody.
 */
#ifndef TRIAL_HANDOFF_H
#define TRIAL_HANDOFF_H

#include "client/client.h"
#include "trial/lock_board.h"

#include <stdbool.h>
#include <stdint.h>

/* In the place of a time: there was no release that it would count from. */
#define HANDOFF_NONE UINT64_MAX

/* The number of the handoff under way at this lock; 0 before the first release. */
uint64_t handoff_number(const struct lock_board *board, uint32_t lock);

/* Its row. */
struct ledger_row *handoff_row(const struct lock_board *board, uint32_t lock);

/* Sessions that wait at this lock and live. */
uint64_t handoff_waiting(const struct lock_board *board, uint32_t lock);

/* The session +1 that holds this lock alone and lives; 0 if there is none. */
uint32_t handoff_holder(const struct lock_board *board, uint32_t lock);

/* A release is about to be sent, or the holder dies: opens the next row, and counts who waits. When
 * the ledger is about to have no more rows, no more arrivals are let in. */
void handoff_begin(struct lock_board *board, uint32_t lock, uint64_t now_ns, bool holder_died);

/* How long after the release a notification has come that follows from it; else HANDOFF_NONE. */
uint64_t handoff_notification_ns(const struct lock_board *board, uint32_t lock,
                                 enum client_event event, uint64_t now_ns);

/* How long after the release a grant comes that follows from it, of a session that arrived then,
 * and is known to the checker; else HANDOFF_NONE. */
uint64_t handoff_grant_ns(const struct lock_board *board, uint32_t lock, uint64_t arrived_ns,
                          uint64_t now_ns);

/* The session is granted, handoff_grant_ns after the release: fills in the handoff's row. */
void handoff_granted(struct lock_board *board, uint32_t lock, uint32_t session, uint64_t grant_ns,
                     uint64_t now_ns);

#endif
