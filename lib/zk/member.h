// SPDX-License-Identifier: Apache-2.0
/*
 * member: one server of a simulation: its znodes, its watches, its connections, its counters.
 * Layer: zk, inside the simulation.
 *
 * Reads are answered from the member's own znodes, which may lag behind those of others. A write is
 * answered when the member that it came to has carried it out.
 *
 * Invariant: what it sends to a session leaves in the order in which it happened here; a watch
 * fires before anything is answered that shows the change.
 */
#ifndef ZK_MEMBER_H
#define ZK_MEMBER_H

#include "zk/world.h"

void member_init(struct member *member, struct simulated *world, unsigned index);

/* Event: an errand (and its reference) has come from a session. */
void member_receives(void *errand);

/* Takes an errand (and its reference) into the lane, to carry it out at this time, but not before
 * what is there already. */
void member_queue(struct member *member, struct errand *errand, uint64_t due_ns);

/* The member's disk: when something is synced that comes at this time. Times must not go back. */
uint64_t member_sync(struct member *member, uint64_t comes_ns);

/* The last transaction that it has carried out, as srvr would say; that counts as a packet. */
uint64_t member_zxid(struct member *member);

/* What mntr would say. */
void member_counters(struct member *member, struct admin_counters *counters);

#endif
