// SPDX-License-Identifier: Apache-2.0
/*
 * message: what a message of a client or of a server says. Layer: wire.
 *
 * A message is what follows its length on a connection (wire/wire.h). The first message of each
 * side opens the connection, and has no header. Records: zookeeper.jute of 3.9.3, and
 * MultiOperationRecord and MultiResponse for transactions.
 *
 * Invariant: only the given bytes are read, whatever they contain, and texts of the result point
 * into them. A message is read only if every field fits and no byte is left over, except what is
 * behind the header of an operation of a later release (OPCODE_OTHER), or of a refusal.
 */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "wire/jute.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The operations of the protocol, a row each.
 *
 * org.apache.zookeeper.ZooDefs.OpCode of 3.9.3, in the order of the numbers, without create-session
 * (-10), which has no number on the wire, and error (-1), which only a multi's reply has.
 *
 * X(NAME, number, name, request, reply): the name is ZooKeeper's; the records are the fields of
 * zookeeper.jute, a letter each:
 *
 *   p  a path                        a  an ACL
 *   d  data                          S  a stat
 *   n  a number: flags, a version,   l  a long
 *      a kind, a count, an error     x  a text or bytes that are not read
 *   w  whether a watch is set        v  a vector of names or paths
 *   m  the parts of a transaction    i  a vector of identities: scheme and name
 */
#define OPCODE_LIST(X)                                                                             \
    X(CLOSE, -11, "closeSession", "", "")                                                          \
    X(CREATE, 1, "create", "pdan", "p")                                                            \
    X(DELETE, 2, "delete", "pn", "")                                                               \
    X(EXISTS, 3, "exists", "pw", "S")                                                              \
    X(GET_DATA, 4, "getData", "pw", "dS")                                                          \
    X(SET_DATA, 5, "setData", "pdn", "S")                                                          \
    X(GET_ACL, 6, "getACL", "p", "aS")                                                             \
    X(SET_ACL, 7, "setACL", "pan", "S")                                                            \
    X(GET_CHILDREN, 8, "getChildren", "pw", "v")                                                   \
    X(SYNC, 9, "sync", "p", "p")                                                                   \
    X(PING, 11, "ping", "", "")                                                                    \
    X(GET_CHILDREN2, 12, "getChildren2", "pw", "vS")                                               \
    X(CHECK, 13, "check", "pn", "")                                                                \
    X(MULTI, 14, "multi", "m", "m")                                                                \
    X(CREATE2, 15, "create2", "pdan", "pS")                                                        \
    X(RECONFIG, 16, "reconfig", "xxxl", "dS")                                                      \
    X(CHECK_WATCHES, 17, "checkWatches", "pn", "")                                                 \
    X(REMOVE_WATCHES, 18, "removeWatches", "pn", "")                                               \
    X(CREATE_CONTAINER, 19, "createContainer", "pdan", "pS")                                       \
    X(DELETE_CONTAINER, 20, "deleteContainer", "p", "")                                            \
    X(CREATE_TTL, 21, "createTTL", "pdanl", "pS")                                                  \
    X(MULTI_READ, 22, "multiRead", "m", "m")                                                       \
    X(AUTH, 100, "auth", "nxx", "")                                                                \
    X(SET_WATCHES, 101, "setWatches", "lvvv", "")                                                  \
    X(SASL, 102, "sasl", "x", "x")                                                                 \
    X(GET_EPHEMERALS, 103, "getEphemerals", "p", "v")                                              \
    X(GET_ALL_CHILDREN_NUMBER, 104, "getAllChildrenNumber", "p", "n")                              \
    X(SET_WATCHES2, 105, "setWatches2", "lvvvvv", "")                                              \
    X(ADD_WATCH, 106, "addWatch", "pn", "n")                                                       \
    X(WHO_AM_I, 107, "whoAmI", "", "i")

/* OPCODE_OTHER is a number that is none of them. */
enum opcode {
#define X(NAME, number, name, request, reply) OPCODE_##NAME,
    OPCODE_LIST(X)
#undef X
        OPCODE_OTHER,
    OPCODES
};

/* ZooKeeper's name: "other" for OPCODE_OTHER. */
const char *opcode_name(enum opcode opcode);

bool opcode_creates(enum opcode opcode);
bool opcode_writes(enum opcode opcode);     /* creates, too; no end of a session */
bool opcode_sets_again(enum opcode opcode); /* watches of another connection */

/* In the place of a request's number, in a message that answers none (ClientCnxn). */
#define MESSAGE_XID_NOTIFICATION (-1)

/* Errors of a reply (KeeperException.Code of 3.9.3) that a reader of traffic asks for. */
enum message_error {
    MESSAGE_RUNTIME_INCONSISTENCY = -2, /* of the parts behind the one that failed */
    MESSAGE_NO_NODE = -101,
    MESSAGE_NODE_EXISTS = -110,
};

/* Events of a notification (Watcher.Event.EventType): X(NAME, number, word). */
#define MESSAGE_EVENTS(X)                                                                          \
    X(CREATED, 1, "created")                                                                       \
    X(DELETED, 2, "deleted")                                                                       \
    X(CHANGED, 3, "changed")                                                                       \
    X(CHILDREN, 4, "children")
enum message_event {
#define X(NAME, number, word) MESSAGE_EVENT_##NAME = number,
    MESSAGE_EVENTS(X)
#undef X
};

/* The fields of a record that a reader of traffic asks for; those that it lacks are 0. */
struct message_record {
    struct jute_bytes path;
    struct jute_bytes data;
    int32_t number;    /* a create's flags, a version, a kind of watch, an error, a count */
    bool watch;        /* whether the request sets one */
    size_t elements;   /* names, watches that are set again, parts of a transaction */
    struct jute parts; /* of a transaction, for message_next_part; or from the first vector on */
};

struct message_request {
    int32_t xid;
    enum opcode opcode;
    struct message_record record;
};

struct message_reply {
    int32_t xid;
    int64_t zxid; /* the transaction of a write; of a read the last that the server knows */
    /* 0: none; else as in KeeperException.Code: the header's, or of a transaction, whose header has
     * none, that of the part that failed. */
    int32_t error;
    struct message_record record;
};

/* A watch that has fired. */
struct message_notification {
    int64_t zxid;  /* the transaction that fired it, from 3.9 on; before that -1 */
    int32_t event; /* enum message_event, or another */
    struct jute_bytes path;
};

/* The name of an error, a static string; "other" of a code that is not in the list. */
const char *message_error_name(int32_t error);

/* Each returns false if the bytes are no such message; then the result means nothing. */

/* The client's first message, or the server's, and its session: 0: the client asks for a new one,
 * or the server refuses the one asked for. */
bool message_read_opening(const void *bytes, size_t count, bool of_client, int64_t *session);
bool message_read_request(const void *bytes, size_t count, struct message_request *request);

/* Reads the next part of a transaction, or of its reply, and its operation: OPCODE_OTHER for a part
 * of a reply that has failed, with the error as its number. False behind the last. */
bool message_next_part(struct jute *parts, bool is_reply, enum opcode *opcode,
                       struct message_record *part);

/* The number of the request that a server's message answers, or MESSAGE_XID_NOTIFICATION. */
bool message_read_xid(const void *bytes, size_t count, int32_t *xid);
bool message_read_reply(const void *bytes, size_t count, enum opcode opcode,
                        struct message_reply *reply);
bool message_read_notification(const void *bytes, size_t count,
                               struct message_notification *notification);

#endif
