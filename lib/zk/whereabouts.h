// SPDX-License-Identifier: Apache-2.0
/*
 * whereabouts: which server each session is connected to, and from where, as the servers say (the
 * four-letter word cons). Layer: zk.
 *
 * Invariant: what no server has said is not known; nothing is guessed. A server that did not tell
 * has a fault that says why.
 */
#ifndef ZK_WHEREABOUTS_H
#define ZK_WHEREABOUTS_H

#include "base/fault.h"
#include "zk/connect.h"

#include <stddef.h>
#include <stdint.h>

struct whereabout {
    int64_t session;
    char client[80]; /* the client's end of the connection: 127.0.0.1:54321 */
    size_t server;   /* its index in the connect string */
};

struct whereabouts {
    const struct connect_string *servers;
    struct fault refusals[CONNECT_ENDPOINTS_MAX]; /* of each server; FAULT_NONE: it told */
    struct whereabout *list;                      /* by session, ascending */
    size_t count;
    size_t capacity;
};

/* Nothing is known yet. The servers must outlive it. */
void whereabouts_init(struct whereabouts *whereabouts, const struct connect_string *servers);
void whereabouts_deinit(struct whereabouts *whereabouts);

/*
 * Asks the servers, one after another, and forgets what was known before; for timeout_ns at most,
 * of which each gets its share of what is left. A server whose whitelist has refused once is not
 * asked again.
 */
void whereabouts_ask(struct whereabouts *whereabouts, uint64_t timeout_ns);

/* Adds what a server has answered to cons. Connections without a session, and lines of another
 * form, say nothing. FAULT_NO_MEMORY. */
MUST_CHECK enum fault_kind whereabouts_read(struct whereabouts *whereabouts, size_t server,
                                            const char *answer, struct fault *fault);

/* Where a session is; NULL if it is not known. Valid until more is asked or read. */
const struct whereabout *whereabouts_find(const struct whereabouts *whereabouts, int64_t session);

#endif
