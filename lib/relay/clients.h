// SPDX-License-Identifier: Apache-2.0
/*
 * clients: what each session sent and received, and what all of them did in each second. Layer:
 * relay.
 *
 * A listener of conversations. The library of a client shows in its first request and in the names
 * of its znodes: openings of sessions are alike. Apache's library for C numbers its requests from
 * the time of day on, all others from 1 on; Curator and kazoo put their own marks into names.
 *
 * Invariant: the sums over the sessions and over the seconds are equal, but for sessions that are
 * not told apart.
 */
#ifndef RELAY_CLIENTS_H
#define RELAY_CLIENTS_H

#include "base/id_tree.h"
#include "relay/conversation.h"

/* So many sessions are told apart, and so many seconds; what comes later is in the last. */
#define CLIENTS_SESSIONS_MAX 100000
#define CLIENTS_SECONDS_MAX  100000

/* The library of a session that shows none of the others. */
#define CLIENTS_OTHERS "Java or another"

#define CLIENTS_FIGURES(X, ...)                                                                    \
    X(__VA_ARGS__, requests, "", "requests, without pings and closes")                             \
    X(__VA_ARGS__, failed, "", "requests that were answered with an error")                        \
    X(__VA_ARGS__, notifications, "", "notifications")                                             \
    X(__VA_ARGS__, sent_bytes, "bytes", "bytes of all requests")                                   \
    X(__VA_ARGS__, received_bytes, "bytes", "bytes of all replies and notifications")

struct clients_figures {
#define X(_, name, unit, meaning) uint64_t name;
    CLIENTS_FIGURES(X, _)
#undef X
};

struct clients_session {
    int64_t id; /* the key */
    uint64_t connections;
    uint64_t first_ns, last_ns; /* messages */
    const char *library;        /* a static text */
    struct clients_figures figures;
};

struct clients {
    struct clients_session **sessions; /* in the order of their first messages */
    size_t session_count;
    struct clients_figures *seconds; /* from the first message on */
    size_t second_count;
    uint64_t begun_ns; /* the first message; 0: none */
    id_tree by_id;
};

/* Its context is the struct clients; all zero bytes: nothing was heard. */
extern const struct conversation_listener clients_listener;

void clients_deinit(struct clients *clients);

#endif
