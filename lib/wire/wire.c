// SPDX-License-Identifier: Apache-2.0
#include "wire/wire.h"

#include <string.h>

#define LENGTH         WIRE_LENGTH /* also before a string, a vector */
#define REQUEST_HEADER 8           /* the request's number, its kind */
#define INTEGER        4
#define FLAG           1
#define PART_HEADER    9 /* kind, last or not, error */

/* One entry: permissions, "world", "anyone". */
#define ACL (LENGTH + INTEGER + LENGTH + 5 + LENGTH + 6)

/* relativeZxid, and three vectors. */
#define WATCHES_BODY (8 + 3 * LENGTH)

static uint64_t record(const struct request *request)
{
    uint64_t path = LENGTH + strlen(request->path), value = LENGTH + request->value_length;
    switch (request->operation) {
    case OP_CREATE:
        return path + value + ACL + INTEGER;
    case OP_SET:
        return path + value + INTEGER;
    case OP_DELETE:
    case OP_CHECK:
        return path + INTEGER;
    case OP_SYNC:
        return path;
    default:
        return path + FLAG;
    }
}

static uint64_t parts(const struct request *request)
{
    uint64_t bytes = PART_HEADER; /* the mark of the end, without a record */
    for (size_t i = 0; i < request->part_count; i++)
        bytes += PART_HEADER + record(&request->parts[i]);
    return bytes;
}

uint64_t wire_request(const struct request *request)
{
    return LENGTH + REQUEST_HEADER +
           (request->operation == OP_MULTI ? parts(request) : record(request));
}

uint64_t wire_watches_request(size_t count, uint64_t path_bytes)
{
    return LENGTH + REQUEST_HEADER + WATCHES_BODY + count * LENGTH + path_bytes;
}

uint64_t wire_created_reply(size_t path_length)
{
    return WIRE_BARE_REPLY + LENGTH + path_length;
}

uint64_t wire_value_reply(size_t value_length)
{
    return WIRE_BARE_REPLY + LENGTH + value_length + WIRE_STAT;
}

uint64_t wire_names_reply(size_t count, uint64_t name_bytes)
{
    return WIRE_BARE_REPLY + LENGTH + count * LENGTH + name_bytes;
}

uint64_t wire_part_reply(enum operation operation, size_t path_length)
{
    switch (operation) {
    case OP_CREATE:
        return PART_HEADER + LENGTH + path_length;
    case OP_SET:
        return PART_HEADER + WIRE_STAT;
    default:
        return PART_HEADER;
    }
}

uint64_t wire_notification(size_t path_length)
{
    /* A reply's header, the event's kind, the session's state, the path. */
    return WIRE_BARE_REPLY + 2 * INTEGER + LENGTH + path_length;
}
