// SPDX-License-Identifier: Apache-2.0
/*
 * session: the client's end of a simulated session, as the Apache C client behaves: requests and
 * replies, watches that it remembers, reconnects. Layer: zk, inside the simulation.
 *
 * Invariant: of what a server sends only that is heard which comes over the present connection.
 */
#ifndef ZK_SESSION_H
#define ZK_SESSION_H

#include "zk/world.h"

/* Makes a session and connects it to a server. */
struct session *session_new(struct simulated *world, unsigned server, uint32_t timeout_ms,
                            const struct client_listener *listener, void *owner);

/* See simulated_close. */
void session_close(struct session *session);

/* Events: an errand (and its reference) has come back; a watch has fired. */
void session_receives(void *errand);
void session_is_notified(void *notice);

/* A fired watch on its way to a session. */
struct notice {
    struct session *session;
    struct path *path; /* held */
    uint32_t connection;
    enum client_event event;
};

#endif
