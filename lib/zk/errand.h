// SPDX-License-Identifier: Apache-2.0
/*
 * errand: what a simulated client sends to a server, on its whole way: the request, the transaction
 * that the leader makes of it, the reply. Layer: zk, below the simulation.
 *
 * A read goes to the session's server and back. A write goes on to the leader, and from there to
 * every server; the one that it came to answers it. What both have in common with the rest, the
 * opening and the end of sessions and connections, travels in the same way and the same order.
 *
 * Invariant: whoever has it to send on, carry out or read holds one reference to it.
 */
#ifndef ZK_ERRAND_H
#define ZK_ERRAND_H

#include "zk/children.h"
#include "zk/client.h"
#include "zk/path.h"
#include "zk/tree.h"
#include "zk/value.h"
#include "zk/watches.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum errand_kind {
    ERRAND_REQUEST,
    ERRAND_WATCHES,    /* sets watches again, on a new connection */
    ERRAND_OPEN,       /* a connection that opens a session */
    ERRAND_REOPEN,     /* a connection for a session that there is */
    ERRAND_CLOSE,      /* the client ends its session */
    ERRAND_EXPIRE,     /* the servers end a session */
    ERRAND_DISCONNECT, /* the client's end of the connection is gone */
    ERRAND_HANG_UP,    /* the server's end is */
};

struct session;

/* A watch to be set again. */
struct errand_watch {
    struct path *path;
    enum watch_kind kind;
};

struct errand {
    enum errand_kind kind;
    uint32_t references;
    struct session *session;
    uint32_t connection; /* the session's how manieth */
    unsigned server;     /* that the connection leads to */

    enum client_operation operation;
    enum watch_flag watch;
    struct change *changes; /* what a write consists of; the path of a read is the first one's */
    size_t change_count;
    struct change one; /* room for all but few */
    struct errand_watch *watches;
    size_t watch_count;
    uint64_t seen_zxid; /* the last that the client has seen */
    uint64_t request_bytes;

    enum zk_status status;
    uint64_t zxid; /* the transaction's; of a read: the state's that it shows */
    int32_t version;
    int64_t owner;
    struct value *value;
    struct children_view list;
};

/* An errand of a session with one reference, the caller's. */
struct errand *errand_new(struct paths *paths, enum errand_kind kind, struct session *session);

/* Copies a request of this session (its number, for ephemerals) into a new errand. */
void errand_fill(struct errand *errand, struct paths *paths, const struct client_request *request,
                 uint32_t owner);

/* Makes the errand one that sets all watches of a client again. */
void errand_fill_watches(struct errand *errand, struct paths *paths, const struct watches *watches,
                         uint32_t watcher);

/* Makes it one that deletes all ephemerals of a session. */
void errand_fill_deletions(struct errand *errand, struct paths *paths, const struct tree *tree,
                           uint32_t owner);

void errand_release(struct errand *errand, struct paths *paths);

/* Whether it goes through the leader. */
bool errand_is_write(const struct errand *errand);

/* How long its reply is on the connection. */
uint64_t errand_reply_bytes(const struct errand *errand);

#endif
