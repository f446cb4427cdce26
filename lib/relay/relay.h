// SPDX-License-Identifier: Apache-2.0
/*
 * relay: stands between clients and servers, and passes the bytes of their connections. Layer:
 * relay.
 *
 * One port for each server, all connections on one loop. A connection that a client opens to a port
 * is a connection to its server; what one side sends goes to the other at once and unchanged, and
 * then to a conversation (relay/conversation.h). If one side does not take its bytes, the other is
 * not read, so that a connection holds 64 KiB at most. The end of one direction, a reset, and a
 * server that refuses the connection are passed on as well.
 *
 * Invariant: what a conversation makes of the bytes never changes what passes.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "base/error.h"
#include "client/connect.h"
#include "relay/conversation.h"

#include <stdbool.h>
#include <stdint.h>

struct relay;

struct relay_options {
    const struct connect_string *servers; /* resolved (tcp_resolve); its chroot is the clients' */
    const char *address;                  /* on which it listens, a number; "127.0.0.1" */
    const struct conversation_listener *listener;
    /* With its connection; may be NULL. */
    void (*ended)(void *context, const struct conversation *conversation);
    void *context; /* of both */
};

/* Listens; *relay is the caller's to relay_free. ERROR_USAGE: no address of this host; or errno's.
 */
MUST_CHECK enum error_kind relay_new(const struct relay_options *options, struct relay **relay,
                                     struct error *error);

/* The connect string for clients: the relay's ports in the servers' order, and their chroot. */
const struct connect_string *relay_connect(const struct relay *relay);

struct relay_connections {
    uint64_t open;        /* now */
    uint64_t unconnected; /* not relayed, because the server refused them */
    uint64_t unaccepted;  /* not relayed, because this process had too few descriptors */
};
struct relay_connections relay_connections(const struct relay *relay);

/* Passes bytes until `until_ns` of the monotonic clock, or until a descriptor of the caller's is
 * readable: then *woken. -1: none is watched. Errors of poll. */
MUST_CHECK enum error_kind relay_poll(struct relay *relay, int descriptor, uint64_t until_ns,
                                      bool *woken, struct error *error);

/* Ends all connections and conversations. NULL is fine. */
void relay_free(struct relay *relay);

#endif
