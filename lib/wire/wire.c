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

uint64_t wire_request(const struct request *request)
{
    if (request->operation != OP_MULTI)
        return LENGTH + REQUEST_HEADER + record(request);
    uint64_t bytes = LENGTH + REQUEST_HEADER + WIRE_PARTS_END;
    for (size_t i = 0; i < request->part_count; i++)
        bytes += PART_HEADER + record(&request->parts[i]);
    return bytes;
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
