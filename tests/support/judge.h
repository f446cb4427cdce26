// SPDX-License-Identifier: Apache-2.0
/*
 * judge: checks an ordeal without lib/trial: while it runs, that no two clients hold together or
 * out of turn; at its end, what is left of the clients, their work and their znodes.
 *
 * A client that crashed holds until its session's timeout. A client whose session expired holds no
 * longer, whatever it believes: no lock on ZooKeeper can prevent that.
 */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "tests/support/ordeal.h"

/* ------------------------------------------------------------------ who may hold */

/* According to the servers; the client may know less. */
bool judge_holds(const struct actor *actor);

/* When a client that was not expired is granted. */
void judge_grant(struct ordeal *ordeal, const struct actor *actor);

/* When it has released. */
void judge_release(struct ordeal *ordeal, const struct actor *actor);

/* ------------------------------------------------------------------ what is left */

/* To be called when nothing more happens and all clients are gone. */
void judge_outcome(struct ordeal *ordeal);

#endif
