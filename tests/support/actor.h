// SPDX-License-Identifier: Apache-2.0
/*
 * actor: a client of an ordeal: its course through the recipe, its session, and what befalls it at
 * any step: a crash, an exit, the end of a session whose client lives and comes back, lost replies.
 */
#ifndef TESTS_ACTOR_H
#define TESTS_ACTOR_H

#include "tests/support/judge.h"

/* ------------------------------------------------------------------ what befalls a client */

/* ------------------------------------------------------------------ the course of a client */

/* ------------------------------------------------------------------ its session */

/* What will befall it, and when. */
void actor_draw_mishaps(struct ordeal *ordeal, struct actor *actor);

/* One more session, which runs the recipe as the client of this number. */
void actor_enter(struct ordeal *ordeal, uint32_t number);

#endif
