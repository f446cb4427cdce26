// SPDX-License-Identifier: Apache-2.0
/*
 * judge: what an ordeal must not lead to, seen without lib/trial: who holds together, and out of
 * turn, while it goes on; what is left of the clients, their work and their znodes in the end.
 *
 * Who crashed holds until its session's timeout. Who was expired holds no more, whatever it
 * believes: no lock of ZooKeeper's can keep it from that.
 */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "tests/support/ordeal.h"

/* ------------------------------------------------------------------ who may hold */

/* To the knowledge of the servers, which is not always the client's. */
bool judge_holds(const struct actor *actor);

/* When a client that was not expired is granted. */
void judge_grant(struct ordeal *ordeal, const struct actor *actor);

/* When it has released. */
void judge_release(struct ordeal *ordeal, const struct actor *actor);

/* ------------------------------------------------------------------ what is left */

/* When nothing more happens; the clients are gone then. */
void judge_outcome(struct ordeal *ordeal);

#endif
