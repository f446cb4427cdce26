// SPDX-License-Identifier: Apache-2.0
/*
 * frame: the messages of a server, found in the bytes of a connection. Layer: wire.
 *
 * A frame is a message behind its length (wire/wire.h). Every message of a server, but for the
 * answer to the opening of a connection, begins with a reply header: xid, zxid, error. The xid is
 * that of the request that is answered; of messages that answer no request it is negative.
 *
 * Invariant: no byte behind the given ones is read, whatever the bytes say.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum frame_state {
    FRAME_UNKNOWN, /* too few bytes to tell: the frame is unchanged */
    FRAME_INVALID, /* no message of a server begins here: the frame is unchanged */
    FRAME_PARTIAL, /* its head has arrived, and not yet its end */
    FRAME_WHOLE,
};

struct frame {
    size_t bytes; /* of the whole frame, its length field included */
    int32_t xid;
};

/* Looks at the frame that begins with the first of `count` bytes. */
enum frame_state frame_read(const void *bytes, size_t count, struct frame *frame);

#endif
