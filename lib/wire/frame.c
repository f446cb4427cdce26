// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include "wire/jute.h"
#include "wire/wire.h"

enum frame_state frame_read(const void *bytes, size_t count, struct frame *frame)
{
    if (count < WIRE_LENGTH + sizeof frame->xid)
        return FRAME_UNKNOWN;
    struct jute jute = {.bytes = bytes, .left = count};
    int32_t length = jute_int(&jute);
    if (length < WIRE_REPLY_HEADER)
        return FRAME_INVALID;
    frame->bytes = WIRE_LENGTH + (size_t)length;
    frame->xid = jute_int(&jute);
    return frame->bytes <= count ? FRAME_WHOLE : FRAME_PARTIAL;
}
