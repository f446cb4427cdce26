// SPDX-License-Identifier: Apache-2.0
/*
 * message: a simulated message of a session on its whole way: the request, the transaction that
 * the leader makes of it, the reply. Layer: sim.
 *
 * A read goes to the session's server and back. A write goes on to the leader, and from there to
 * every server; the server that received the request sends the reply. The opening and the end of
 * sessions and connections are messages too, and keep the same order.
 *
 * Invariant: each part of the simulation that is still to use a message holds one reference to it.
 */
#ifndef SIM_MESSAGE_H
#define SIM_MESSAGE_H

#include "sim/tree.h"
#include "sim/watches.h"

struct sim_session;

enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_WATCHES,    /* sets watches again, on a new connection */
    MESSAGE_OPEN,       /* a connection that opens a session */
    MESSAGE_REOPEN,     /* a connection for a session that exists */
    MESSAGE_CLOSE,      /* the client ends its session */
    MESSAGE_EXPIRE,     /* the servers end a session */
    MESSAGE_DISCONNECT, /* the client has closed its connection */
    MESSAGE_HANG_UP,    /* the server has closed the connection */
};

/* A watch to be set again. */
struct message_watch {
    struct path *path;
    enum watch_kind kind;
};

struct message {
    enum message_kind kind;
    uint32_t references;
    struct sim_session *session;
    uint32_t connection; /* number of the session's connection, from 1 */
    unsigned server;     /* at the other end of the connection */

    enum operation operation;
    enum watch_flag watch;
    struct change *changes; /* of a write; the path of a read is that of the first */
    size_t change_count;
    struct change one; /* the room of most messages for their changes */
    struct message_watch *watches;
    size_t watch_count;
    uint64_t seen_zxid; /* the last zxid that the client has seen */
    uint64_t request_bytes;
    uint64_t link_writes; /* of a read: number of earlier writes of its connection */
    struct message *next; /* in a message_queue */

    enum zk_status status;
    uint64_t zxid; /* of the transaction, or of the state that a read shows */
    int32_t version;
    int64_t owner;
    struct value *value;
    struct children_view list;
};

/* A message of a session with one reference, the caller's. */
struct message *message_new(struct paths *paths, enum message_kind kind,
                            struct sim_session *session);
void message_release(struct message *message, struct paths *paths);

/* Copies a request of this session (its number, for ephemerals) into a new message. */
void message_fill(struct message *message, struct paths *paths, const struct request *request,
                  uint32_t owner);

/* Fills in a message that sets all watches of a client again. */
void message_fill_watches(struct message *message, struct paths *paths,
                          const struct watches *watches, uint32_t watcher);

/* Fills in a message that deletes all ephemerals of a session. */
void message_fill_deletions(struct message *message, struct paths *paths, const struct tree *tree,
                            uint32_t owner);

/* Whether the message goes through the leader. */
bool message_is_write(const struct message *message);

/* The length of the reply on the connection. */
uint64_t message_reply_bytes(const struct message *message);

/* Messages in the order in which they were added. */
struct message_queue {
    struct message *first, *last;
};

void message_queue_add(struct message_queue *queue, struct message *message);

/* NULL if there is none. */
struct message *message_queue_take(struct message_queue *queue);

/* Takes and releases all messages. */
void message_queue_clear(struct message_queue *queue, struct paths *paths);

#endif
