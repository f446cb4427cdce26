// SPDX-License-Identifier: Apache-2.0
/*
 * request: the operations that a recipe may use, as requests to a server. Layer: wire.
 *
 * Invariant: a request owns nothing that it points to.
 */
#ifndef WIRE_REQUEST_H
#define WIRE_REQUEST_H

#include <stddef.h>
#include <stdint.h>

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

#endif
