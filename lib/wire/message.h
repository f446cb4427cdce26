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
#include "wire/opcode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of a request's number, in a message that answers none (ClientCnxn). */
#define MESSAGE_XID_NOTIFICATION (-1)

/* Errors of a reply (KeeperException.Code of 3.9.3): X(code, name). */
#define MESSAGE_ERRORS(X)                                                                          \
    X(-1, "SystemError")                                                                           \
    X(-2, "RuntimeInconsistency")                                                                  \
    X(-3, "DataInconsistency")                                                                     \
    X(-4, "ConnectionLoss")                                                                        \
    X(-5, "MarshallingError")                                                                      \
    X(-6, "Unimplemented")                                                                         \
    X(-7, "OperationTimeout")                                                                      \
    X(-8, "BadArguments")                                                                          \
    X(-12, "UnknownSession")                                                                       \
    X(-13, "NewConfigNoQuorum")                                                                    \
    X(-14, "ReconfigInProgress")                                                                   \
    X(-100, "APIError")                                                                            \
    X(-101, "NoNode")                                                                              \
    X(-102, "NoAuth")                                                                              \
    X(-103, "BadVersion")                                                                          \
    X(-108, "NoChildrenForEphemerals")                                                             \
    X(-110, "NodeExists")                                                                          \
    X(-111, "NotEmpty")                                                                            \
    X(-112, "SessionExpired")                                                                      \
    X(-113, "InvalidCallback")                                                                     \
    X(-114, "InvalidACL")                                                                          \
    X(-115, "AuthFailed")                                                                          \
    X(-118, "SessionMoved")                                                                        \
    X(-119, "NotReadOnly")                                                                         \
    X(-120, "EphemeralOnLocalSession")                                                             \
    X(-121, "NoWatcher")                                                                           \
    X(-122, "RequestTimeout")                                                                      \
    X(-123, "ReconfigDisabled")                                                                    \
    X(-124, "SessionClosedRequireSaslAuth")                                                        \
    X(-125, "QuotaExceeded")                                                                       \
    X(-127, "ThrottledOp")

/* Those that a reader of traffic asks for. */
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
    struct jute parts; /* of a transaction, for message_next_part */
};

/* The opening of a connection: the client's message, and the server's. */
struct message_opening {
    int64_t session; /* 0: the client asks for a new one, or the server refuses the one asked for */
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
bool message_read_client_opening(const void *bytes, size_t count, struct message_opening *opening);
bool message_read_server_opening(const void *bytes, size_t count, struct message_opening *opening);
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
