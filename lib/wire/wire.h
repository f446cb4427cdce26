// SPDX-License-Identifier: Apache-2.0
/*
 * wire: the operations that a recipe may use, as requests to a server, and the lengths of
 * ZooKeeper's messages on a connection of the Apache C client, in bytes. Layer: wire.
 *
 * A message is its length (4 bytes) and records in the encoding jute: integers of 4 or 8 bytes, a
 * flag of 1, strings and vectors after their length of 4.
 *
 * Invariant: a request owns nothing that it points to; every length includes the 4 bytes of the
 * message's own.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ requests */

enum operation {
    OP_CREATE,
    OP_EXISTS,
    OP_GET,
    OP_GET_CHILDREN,
    OP_SET,
    OP_DELETE,
    OP_SYNC,
    OP_MULTI,
    OP_CHECK, /* part of a multi, never a request of its own */
};

enum create_mode { PERSISTENT, EPHEMERAL, EPHEMERAL_SEQUENTIAL };

enum watch_flag { NO_WATCH, WATCH };

/*
 * A request. What it points to is the caller's until the call that takes the request returns.
 * Fields that an operation does not use are zero:
 *
 *   CREATE        path, mode, value
 *   EXISTS        path, watch
 *   GET           path, watch
 *   GET_CHILDREN  path, watch
 *   SET           path, version, value
 *   DELETE        path, version
 *   SYNC          path: of any znode; answered when the session's server has carried out all that
 *                 was committed before
 *   MULTI         parts: CREATE, SET, DELETE and CHECK, carried out in this order, all or none
 *   CHECK         path, version: fails unless the znode exists and has this version
 *
 * A path is absolute, below the chroot. A version is that which the znode's data must have, or
 * REQUEST_ANY_VERSION.
 */
struct request {
    enum operation operation;
    const char *path;
    enum create_mode mode;
    enum watch_flag watch;
    int32_t version;
    const void *value; /* any bytes; NULL if there are none */
    size_t value_length;
    const struct request *parts;
    size_t part_count; /* 1 to REQUEST_PARTS_MAX */
};

#define REQUEST_ANY_VERSION (-1)
#define REQUEST_PARTS_MAX   4

/* Requests that may be parts of a multi. */
static inline struct request request_create(const char *path, const void *value,
                                            size_t value_length, enum create_mode mode)
{
    return (struct request){.operation = OP_CREATE,
                            .path = path,
                            .mode = mode,
                            .value = value,
                            .value_length = value_length};
}

static inline struct request request_set(const char *path, const void *value, size_t value_length,
                                         int32_t version)
{
    return (struct request){.operation = OP_SET,
                            .path = path,
                            .version = version,
                            .value = value,
                            .value_length = value_length};
}

static inline struct request request_delete(const char *path)
{
    return (struct request){.operation = OP_DELETE, .path = path, .version = REQUEST_ANY_VERSION};
}

static inline struct request request_check(const char *path, int32_t version)
{
    return (struct request){.operation = OP_CHECK, .path = path, .version = version};
}

/* EXISTS, GET, GET_CHILDREN or SYNC. */
static inline struct request request_read(enum operation operation, const char *path,
                                          enum watch_flag watch)
{
    return (struct request){.operation = operation, .path = path, .watch = watch};
}

static inline struct request request_multi(const struct request *parts, size_t part_count)
{
    return (struct request){.operation = OP_MULTI, .parts = parts, .part_count = part_count};
}

/* ------------------------------------------------------------------ lengths */

/* The opening of a connection, and the request to close the session. */
#define WIRE_CONNECT_REQUEST 49
#define WIRE_CONNECT_REPLY   41
#define WIRE_CLOSE_REQUEST   12

#define WIRE_LENGTH       4  /* the length before every message */
#define WIRE_REPLY_HEADER 16 /* of every reply and notification: xid, zxid, error */
#define WIRE_STAT         68 /* what exists, get and set return of a znode */

/* A reply without a record: to a delete, to a failed request, to the setting of watches. */
#define WIRE_BARE_REPLY (WIRE_LENGTH + WIRE_REPLY_HEADER)

/* A request with its paths and values. */
uint64_t wire_request(const struct request *request);

/* The request that sets `count` watches again: relativeZxid, and three vectors of their paths.
 * bytes: the sum of the lengths of the paths. */
#define WIRE_WATCHES_REQUEST(count, bytes)                                                         \
    (WIRE_CLOSE_REQUEST + 8 + 3 * WIRE_LENGTH + (count)*WIRE_LENGTH + (bytes))

/* A successful reply: with the created path, a stat, a value and a stat, or names. */
#define WIRE_CREATED_REPLY(path_length) (WIRE_BARE_REPLY + WIRE_LENGTH + (path_length))
#define WIRE_STAT_REPLY                 (WIRE_BARE_REPLY + WIRE_STAT)
#define WIRE_VALUE_REPLY(value_length)  (WIRE_STAT_REPLY + WIRE_LENGTH + (value_length))
#define WIRE_NAMES_REPLY(count, bytes)  (WIRE_BARE_REPLY + ((count) + 1) * WIRE_LENGTH + (bytes))

/* A multi's reply: a bare reply, its parts, each an error if it failed, the mark of their end. */
#define WIRE_PARTS_END  9
#define WIRE_PART_ERROR 13
uint64_t wire_part_reply(enum operation operation, size_t path_length);

/* A notification: a reply's header, the event's kind, the session's state, the path. */
#define WIRE_NOTIFICATION(path_length) (WIRE_BARE_REPLY + 4 + 4 + WIRE_LENGTH + (path_length))

#endif
