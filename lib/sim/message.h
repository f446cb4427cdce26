// SPDX-License-Identifier: Apache-2.0
/*
 * message: what the parts of a simulation send to each other. Layer: sim.
 */
#ifndef SIM_MESSAGE_H
#define SIM_MESSAGE_H

#include "sim/sim.h"
#include "sim/tree.h"
#include "sim/watches.h"

struct sim_session; /* sim/internal.h */

/* A request of a session goes to its server, and the reply back. A write goes on to the leader, and
 * from there to every server, of which the first one replies. */
enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_WATCHES,      /* sets watches again, on a new connection */
    MESSAGE_OPEN,         /* a connection that opens a session */
    MESSAGE_REOPEN,       /* a connection for a session that exists */
    MESSAGE_CLOSE,        /* the client ends its session */
    MESSAGE_EXPIRE,       /* the servers end a session */
    MESSAGE_DISCONNECT,   /* the client has closed its connection */
    MESSAGE_HANG_UP,      /* the server has closed the connection */
    MESSAGE_NOTIFICATION, /* a watch has fired */
};

/* A message on its whole way: the request, the transaction that the leader makes of it, the reply.
 * Each part of the simulation that is still to use it holds one reference. */
struct message {
    enum message_kind kind;
    uint32_t references;
    struct sim_session *session;
    uint32_t connection; /* number of the session's connection, from 1 */
    unsigned server;     /* at the other end of the connection */

    enum operation operation;
    enum watch_flag watch;
    enum client_event event; /* of a notification */
    /* The changes of a write. A read and a notification have one, with their path; what sets
     * watches again has a read for each: OP_EXISTS where no znode was, OP_GET_CHILDREN, OP_GET. */
    struct change *changes;
    size_t change_count;
    struct change one;  /* the room of most messages for their changes */
    uint64_t seen_zxid; /* the last zxid that the client has seen */
    uint64_t request_bytes;
    uint64_t link_writes; /* of a read: number of earlier writes of its connection */
    struct message *next; /* in a message_queue */

    enum zk_status status;
    uint64_t zxid; /* of the transaction, or of the state that a read shows */
    int32_t version;
    int64_t owner;
    struct value *value;
    struct names *names;
};

/* A message with one reference, the caller's. */
struct message *message_new(struct paths *paths, enum message_kind kind,
                            struct sim_session *session);
void message_release(struct message *message, struct paths *paths);

/* Fill a new message: with a copy of a request (owner: the session's number, for ephemerals); with
 * a path; with what sets a client's watches again; with the deletions of a session's ephemerals. */
void message_fill(struct message *message, struct paths *paths, const struct request *request,
                  uint32_t owner);
void message_fill_path(struct message *message, struct paths *paths, struct path *path);
void message_fill_watches(struct message *message, struct paths *paths,
                          const struct watches *watches, uint32_t watcher);
void message_fill_deletions(struct message *message, struct paths *paths, const struct tree *tree,
                            uint32_t owner);

/* Whether the message goes through the leader. */
bool message_is_write(const struct message *message);

/* The length of the reply on the connection. */
uint64_t message_reply_bytes(const struct message *message);

/* Messages in the order in which they were added, and taken; NULL: there is none. */
struct message_queue {
    struct message *first, *last;
};

void message_queue_add(struct message_queue *queue, struct message *message);
struct message *message_queue_pop(struct message_queue *queue);
void message_queue_clear(struct message_queue *queue, struct paths *paths);

#endif
