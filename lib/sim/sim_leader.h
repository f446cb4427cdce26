// SPDX-License-Identifier: Apache-2.0
/*
 * sim_leader: the one order of all writes, and when each server may carry one out. Layer: sim,
 * inside the simulation.
 *
 * The leader checks a write against the znodes as they will be when all before it has been carried
 * out, gives it the next number, and proposes it. It is committed when more than half of the
 * servers have it on their disks. All channels are in order, so that the times follow from the
 * write itself and from those before it, and are known at once.
 *
 * Invariant: every server carries out all writes, failed ones included, in the order of their
 * numbers.
 */
#ifndef SIM_SIM_LEADER_H
#define SIM_SIM_LEADER_H

#include "sim/internal.h"

void sim_leader_init(struct sim_leader *leader, struct sim *sim);

/* Event: a write (and its reference) has come to the leader. */
void sim_leader_order(void *message);

/* Event: the leader ends a session, unless it has ended already. */
void sim_leader_expire(void *session);

#endif
