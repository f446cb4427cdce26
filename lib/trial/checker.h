// SPDX-License-Identifier: Apache-2.0
/*
 * checker: checks at every grant and release that the lock is a lock. Layer: trial.
 *
 * A process calls the checker when a client learns of its grant, and when the client begins its
 * release. Two atomic words per lock contain who holds it alone and how many share it, in all
 * processes: nothing is sampled. Clients that share the lock, as their recipe says, may hold at the
 * same time. Nobody may hold beside a client that holds alone.
 *
 * A session that crashes while it holds counts as the holder until the earliest time at which the
 * servers may have deleted its znodes. Sessions that share a lock are never made to die.
 *
 * Order: the sequence numbers of a queue's grants must rise, but not among clients that share. For
 * a lock without a queue the number is that of the arrival; an inversion is counted, and is no
 * violation, because such a lock promises no order.
 *
 * No client may have entered a barrier before all have begun to enter it, or have left it before
 * all have begun to leave it. One count for all barriers of a lock is sufficient: a client begins
 * with the next one only when it is through, so whoever is through first finds that count too low.
 */
#ifndef TRIAL_CHECKER_H
#define TRIAL_CHECKER_H

#include "trial/trial_memory.h"

/* The session holds this lock from now on. order: its sequence number, or the number of its
 * arrival.
 */
void checker_granted(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns);

/* The session begins to release this lock. */
void checker_released(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A session begins to enter, or to leave, a barrier of this lock. Of another recipe: nothing. */
void checker_enters(struct trial_memory *memory, uint32_t lock);
void checker_leaves(struct trial_memory *memory, uint32_t lock);

/* The session has entered, or has left, the barrier with this number, from 0. */
void checker_entered(struct trial_memory *memory, uint32_t lock, uint32_t session,
                     uint32_t barrier);
void checker_left(struct trial_memory *memory, uint32_t lock, uint32_t session, uint32_t barrier);

/* How many sessions hold this lock. */
uint32_t checker_holders(const struct trial_memory *memory, uint32_t lock);

#endif
