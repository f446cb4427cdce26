// SPDX-License-Identifier: Apache-2.0
/*
 * connections: which server each session is connected to, and from where, as the servers say (the
 * four-letter word cons). Layer: servers.
 *
 * Invariant: what no server has said is not known; nothing is guessed. A server that did not tell
 * has an error that says why.
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
    struct error refusals[CONNECT_ENDPOINTS_MAX]; /* of each server; ERROR_NONE: it told */
    struct connection *list;                      /* by session, ascending */
    size_t count;
    size_t capacity;
};

/* Nothing is known yet. The servers must outlive it. */
void connections_init(struct connections *connections, const struct connect_string *servers);
void connections_deinit(struct connections *connections);

/*
 * Asks the servers, one after another, and forgets what was known before; for timeout_ns at most,
 * of which each gets its share of what is left. A server whose whitelist has refused once is not
 * asked again.
 */
void connections_ask(struct connections *connections, uint64_t timeout_ns);

/* Adds what a server has answered to cons. Connections without a session, and lines of another
 * form, say nothing. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind connections_read(struct connections *connections, size_t server,
                                            const char *answer, struct error *error);

/* Where a session is; NULL if it is not known. Valid until more is asked or read. */
const struct connection *connections_find(const struct connections *connections, int64_t session);

#endif
