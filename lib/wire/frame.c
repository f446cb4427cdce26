// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include "wire/wire.h"

#include <arpa/inet.h>
#include <string.h>

static int32_t integer_at(const void *bytes, size_t offset)
{
    uint32_t integer;
    memcpy(&integer, (const char *)bytes + offset, sizeof integer);
    return (int32_t)ntohl(integer);
}

enum frame_state frame_read(const void *bytes, size_t count, struct frame *frame)
{
    if (count < WIRE_LENGTH + sizeof frame->xid)
        return FRAME_UNKNOWN;
    int32_t length = integer_at(bytes, 0);
    if (length < WIRE_REPLY_HEADER)
        return FRAME_INVALID;
    frame->bytes = WIRE_LENGTH + (size_t)length;
    frame->xid = integer_at(bytes, WIRE_LENGTH);
    return frame->bytes <= count ? FRAME_WHOLE : FRAME_PARTIAL;
}
