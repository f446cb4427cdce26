// SPDX-License-Identifier: Apache-2.0
#include "wire/maxbuffer.h"

#include "wire/wire.h"

uint64_t maxbuffer_counted(uint64_t message_bytes)
{
    return message_bytes - WIRE_LENGTH;
}

/* What a message of this length leaves of the limit. */
static uint64_t room_beside(uint64_t limit, uint64_t message_bytes)
{
    uint64_t counted = maxbuffer_counted(message_bytes);
    return limit > counted ? limit - counted : 0;
}

uint64_t maxbuffer_names(uint64_t limit, size_t name_length, size_t others, uint64_t other_bytes)
{
    uint64_t each = wire_names_reply(1, name_length) - wire_names_reply(0, 0);
    return room_beside(limit, wire_names_reply(others, other_bytes)) / each;
}

uint64_t maxbuffer_watches(uint64_t limit, size_t path_length)
{
    uint64_t each = wire_watches_request(1, path_length) - wire_watches_request(0, 0);
    return room_beside(limit, wire_watches_request(0, 0)) / each;
}

/* Beside the request as it is without a value, and with a path of no byte. */
static uint64_t value_room(uint64_t limit, const struct request *request, size_t path_length)
{
    return room_beside(limit, wire_request(request) + path_length);
}

uint64_t maxbuffer_created_value(uint64_t limit, size_t path_length)
{
    const struct request request = request_create("", NULL, 0, PERSISTENT);
    return value_room(limit, &request, path_length);
}

uint64_t maxbuffer_set_value(uint64_t limit, size_t path_length)
{
    const struct request request = request_set("", NULL, 0, REQUEST_ANY_VERSION);
    return value_room(limit, &request, path_length);
}

uint64_t maxbuffer_read_value(uint64_t limit)
{
    return room_beside(limit, wire_value_reply(0));
}
