// SPDX-License-Identifier: Apache-2.0
/*
 * checker: whether the lock is a lock. Layer: trial.
 *
 * Told of every grant and every release by the process in which it happens, at the moment at which
 * the client learns of its grant and at which it gives the lock up. Two atomic words a lock say who
 * holds it alone and how many share it, across all processes: nothing is sampled. Clients that
 * share the lock, as their recipe says, may hold at the same time; beside a client that holds alone
 * nobody may hold.
 *
 * A session that crashes while it holds counts as the holder until the earliest time at which the
 * servers may have deleted its znodes. Sessions that share a lock are never made to die.
 *
 * Order: of a queue's grants the sequence numbers must rise; those who share have no order among
 * themselves. For a lock without a queue the number is that of the arrival, and an inversion is
 * counted but is no violation: nobody promised.
 *
 * At a barrier nobody may be granted before all have arrived, or have left before all have begun
 * to.
 */
#ifndef TRIAL_CHECKER_H
#define TRIAL_CHECKER_H

#include "trial/lock_board.h"

/* Session holds this lock from now on. order is its place in line, or its arrival's number. */
void checker_granted(struct lock_board *board, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns);

/* Session gives this lock up: its release begins. */
void checker_released(struct lock_board *board, uint32_t lock, uint32_t session);

/* Session's release has come to its end. */
void checker_left(struct lock_board *board, uint32_t lock, uint32_t session);

/* How many hold this lock. */
uint32_t checker_holders(const struct lock_board *board, uint32_t lock);

/* The session that holds this lock crashes; nobody else may hold before lapses_ns. */
void checker_crashed(struct lock_board *board, uint32_t lock, uint64_t lapses_ns);

/* The session has given this lock up, and ends without deleting its znode: whoever is granted next
 * has waited for its timeout. */
void checker_undeleted(struct lock_board *board, uint32_t lock, uint32_t session);

#endif
