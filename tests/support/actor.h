// SPDX-License-Identifier: Apache-2.0
/*
 * actor: a client of an ordeal: its way through the recipe, its session, and the error that is
 * injected at any step: a crash, an exit, a session that expires while its client lives, lost
 * replies.
 */
#ifndef TESTS_ACTOR_H
#define TESTS_ACTOR_H

#include "tests/support/judge.h"

/* Draws the actor's mishap, and when it strikes. */
void actor_draw_mishaps(struct ordeal *ordeal, struct actor *actor);

/* Adds a session that runs the recipe as the client of this number. */
void actor_enter(struct ordeal *ordeal, uint32_t number);

#endif
