// SPDX-License-Identifier: Apache-2.0
/*
 * injection: when a trial's death is due and whom it takes, and what becomes of the board. Layer:
 * trial.
 *
 * The plan says it (recipes/injection.h). Under lockstep the coordinator has the holder or a waiter
 * die, at rest; a session whose reply is lost, or that dies at its work, finds that out by itself.
 *
 * Invariant: a death is on the board before it happens, so nobody sees what follows from it
 * earlier.
 */
#ifndef TRIAL_INJECTION_H
#define TRIAL_INJECTION_H

#include "trial/lock_board.h"

#include <stdbool.h>
#include <stdint.h>

/* The trial's death: the plan's, or else the recipe's. */
const struct death *death_planned(const struct lock_board *board);

/* Whether nobody has died, and no reply was lost: from then on no law foretells what comes. */
bool death_spares_all(const struct lock_board *board);

/* All is at rest: the session that is to die now, if one is; false if none is. */
bool death_takes(const struct lock_board *board, uint32_t *session);

/* Whether the session, just granted, is to crash in the middle of its work. Says so once. */
bool death_dooms(const struct lock_board *board, uint32_t lock);

/* Whether the reply to the session's CREATE is to be lost. Says so until death_note. */
bool death_takes_reply(const struct lock_board *board, uint32_t session);

/* Notes that somebody at this lock dies now, or that a reply is lost. */
void death_note(struct lock_board *board, uint32_t lock, uint64_t now_ns);

/* Notes that the session is dead, and until when its ephemeral znodes may stay: until expires_ns at
 * most. */
void death_bury(struct lock_board *board, uint32_t session, uint64_t expires_ns);

#endif
