// SPDX-License-Identifier: Apache-2.0
/*
 * injection: the session that a trial ends, or whose reply is lost, on purpose: when, which, and
 * what the other processes learn of that. Layer: trial.
 *
 * The plan says what is injected (recipes/death.h). Under lockstep the coordinator has the holder
 * or a waiter die, at rest. A session whose reply is lost, or that dies at its work, is the one to
 * find that out.
 *
 * Invariant: a death is in the shared memory before the session ends, so nobody sees what follows
 * from that death earlier.
 */
#ifndef TRIAL_INJECTION_H
#define TRIAL_INJECTION_H

#include "trial/lock_board.h"

#include <stdbool.h>
#include <stdint.h>

/* The trial's death: the plan's, or else the recipe's. */
const struct death *injection_planned(const struct lock_board *board);

/* Whether nobody has died yet, and no reply was lost. From then on no law foretells what comes. */
bool injection_none_yet(const struct lock_board *board);

/* All is at rest: whether a session is to die now, and which. */
bool injection_due(const struct lock_board *board, uint32_t *session);

/* Whether a session that has just been granted this lock is to crash in the middle of its work. */
bool injection_crashes_work(const struct lock_board *board, uint32_t lock);

/* Whether the reply to this session's CREATE is to be lost: true until injection_begun. */
bool injection_loses_reply(const struct lock_board *board, uint32_t session);

/* A session dies at this lock now, or its reply is lost. */
void injection_begun(struct lock_board *board, uint32_t lock, uint64_t now_ns);

/* The session is dead. Its ephemeral znodes may stay until expires_ns. */
void injection_dead(struct lock_board *board, uint32_t session, uint64_t expires_ns);

#endif
