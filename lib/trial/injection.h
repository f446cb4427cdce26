// SPDX-License-Identifier: Apache-2.0
/*
 * injection: decides which session of a trial dies, or loses a reply, on purpose, and when. Layer:
 * trial.
 *
 * The plan contains what is injected (recipes/death.h). Under lockstep the coordinator orders the
 * holder or a waiter to die between two steps. A session that loses a reply, or dies at its work,
 * decides so itself.
 *
 * Invariant: a death is in the shared memory before the session ends, so nobody sees earlier what
 * follows from it.
 */
#ifndef TRIAL_INJECTION_H
#define TRIAL_INJECTION_H

#include "trial/trial_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* The plan's death, or the recipe's if the plan has none. */
const struct death *injection_planned(const struct trial_memory *memory);

/* Whether no session has died and no reply was lost so far. After that the law predicts nothing. */
bool injection_none_yet(const struct trial_memory *memory);

/* Between two steps: whether a session is to die now, and which. */
bool injection_due(const struct trial_memory *memory, uint32_t *session);

/* Whether a session that has just been granted this lock is to crash in the middle of its work. */
bool injection_crashes_work(const struct trial_memory *memory, uint32_t lock);

/* Whether the reply to this session's CREATE is to be lost: true until injection_begun. */
bool injection_loses_reply(const struct trial_memory *memory, uint32_t session);

/* A session at this lock dies now, or loses its reply. */
void injection_begun(struct trial_memory *memory, uint32_t lock, uint64_t now_ns);

/* The session is dead. Its ephemeral znodes may stay until expires_ns. */
void injection_dead(struct trial_memory *memory, uint32_t session, uint64_t expires_ns);

#endif
