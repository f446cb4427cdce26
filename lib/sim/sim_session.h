// SPDX-License-Identifier: Apache-2.0
/*
 * sim_session: the client's end of a simulated session, as the Apache C client behaves: requests
 * and replies, watches that it remembers, reconnects. Layer: sim, inside the simulation.
 *
 * Invariant: of what a server sends only that is heard which comes over the present connection.
 */
#ifndef SIM_SIM_SESSION_H
#define SIM_SIM_SESSION_H

#include "sim/internal.h"

/* Makes a session of a client that is filled in but for its driver, and connects it to a server. */
struct sim_session *sim_session_new(struct sim *sim, unsigned server, uint32_t timeout_ms,
                                    const struct client *client);

/* See sim_close. */
void sim_session_close(struct sim_session *session);

/* Events: a message (and its reference) has come back; a watch has fired. */
void sim_session_receives(void *message);
void sim_session_is_notified(void *notification);

#endif
