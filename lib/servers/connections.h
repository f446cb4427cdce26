// SPDX-License-Identifier: Apache-2.0
/*
 * connections: the server and the client's address of each session, from the servers' answers to
 * the four-letter word cons. Layer: servers.
 *
 * Invariant: only what a server has answered is listed. A server without an answer has an error
 * that says why.
 */
#ifndef SERVERS_CONNECTIONS_H
#define SERVERS_CONNECTIONS_H

#include "base/error.h"
#include "client/connect.h"

#include <stddef.h>
#include <stdint.h>

struct connection {
    int64_t session;
    char client[80]; /* the client's end of the connection: 127.0.0.1:54321 */
    size_t server;   /* its index in the connect string */
};

struct connections {
    const struct connect_string *servers;
    struct error refusals[CONNECT_ENDPOINTS_MAX]; /* of each server; ERROR_NONE: it answered */
    struct connection *list;                      /* by session, ascending */
    size_t count;
};

/* An empty list. The servers must outlive it. */
void connections_init(struct connections *connections, const struct connect_string *servers);
void connections_deinit(struct connections *connections);

/* Fills the list with the servers' answers. Asks one server after another, timeout_ns altogether;
 * each may take an equal share of what is left. */
void connections_ask(struct connections *connections, uint64_t timeout_ns);

/* Adds the sessions in a server's answer to cons; other lines are skipped. */
void connections_read(struct connections *connections, size_t server, const char *answer);

/* The connection of a session, valid until the list changes; NULL if it is not listed. */
const struct connection *connections_find(const struct connections *connections, int64_t session);

#endif
