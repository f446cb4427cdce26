// SPDX-License-Identifier: Apache-2.0
/*
 * quorum: the one order of all writes, and when each server may carry one out. Layer: zk, inside
 * the simulation.
 *
 * The leader checks a write against the znodes as they will be when all before it has been carried
 * out, gives it the next number, and proposes it. It is committed when more than half of the
 * servers have it on their disks. All channels are in order, so that the times follow from the
 * write itself and from those before it, and are known at once.
 *
 * Invariant: every server carries out all writes, failed ones included, in the order of their
 * numbers.
 */
#ifndef ZK_QUORUM_H
#define ZK_QUORUM_H

#include "zk/world.h"

void quorum_init(struct quorum *quorum, struct simulated *world);

/* Event: a write (and its reference) has come to the leader. */
void quorum_order(void *errand);

/* Event: the leader ends a session, unless it has ended already. */
void quorum_expire(void *session);

#endif
