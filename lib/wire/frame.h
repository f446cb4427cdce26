// SPDX-License-Identifier: Apache-2.0
/*
 * frame: finds the messages of a server in the bytes of a connection. Layer: wire.
 *
 * A frame is a length and a message (wire/wire.h). Every message of a server, except the reply to
 * the opening of a connection, begins with a reply header: xid, zxid, error. The xid is that of the
 * request; it is negative if the message answers none.
 *
 * Invariant: only the given bytes are read, whatever they contain.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum frame_state {
    FRAME_UNKNOWN, /* too few bytes; *frame is unchanged */
    FRAME_INVALID, /* no message of a server begins here; *frame is unchanged */
    FRAME_PARTIAL, /* the xid has arrived, the end has not */
    FRAME_WHOLE,
};

struct frame {
    size_t bytes; /* of the whole frame, with its length field */
    int32_t xid;
};

/* Reads the frame that begins with the first of `count` bytes. */
enum frame_state frame_read(const void *bytes, size_t count, struct frame *frame);

#endif
