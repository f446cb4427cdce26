// SPDX-License-Identifier: Apache-2.0
/*
 * sim_server: one server of a simulation: its znodes, its watches, its connections, its counters.
 * Layer: sim, inside the simulation.
 *
 * Reads are answered from the member's own znodes, which may lag behind those of others. A write is
 * answered when the member that it came to has carried it out.
 *
 * Invariant: what it sends to a session leaves in the order in which it happened here; a watch
 * fires before anything is answered that shows the change.
 */
#ifndef SIM_SIM_SERVER_H
#define SIM_SIM_SERVER_H

#include "sim/internal.h"

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index);

/* Event: a message (and its reference) has come from a session. */
void sim_server_receives(void *message);

/* Takes a message (and its reference) into the lane, to carry it out at this time, but not before
 * what is there already. */
void sim_server_queue(struct sim_server *server, struct message *message, uint64_t due_ns);

/* The member's disk: when something is synced that comes at this time. Times must not go back. */
uint64_t sim_server_sync(struct sim_server *server, uint64_t comes_ns);

#endif
