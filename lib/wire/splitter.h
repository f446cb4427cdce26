// SPDX-License-Identifier: Apache-2.0
/*
 * splitter: cuts the bytes of one direction of a connection into messages, however the bytes come.
 * Layer: wire.
 *
 * Invariant: the messages are the same for every way to divide the bytes among calls, and
 * every byte belongs to a message, to the one that is under way, or to what cannot be read.
 */
#ifndef WIRE_SPLITTER_H
#define WIRE_SPLITTER_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes kept of a message: four times the longest that servers take by default (jute.maxbuffer). */
#define SPLITTER_KEPT_MAX ((size_t)4 << 20)

/* All zero bytes: at the beginning of a message. Ends with splitter_deinit. */
struct splitter {
    unsigned char length_bytes[4];
    size_t length_arrived; /* of length_bytes */
    size_t length;         /* of the message under way, without those 4 bytes */
    size_t arrived;        /* of the message */
    unsigned char *kept;   /* of a message that came in pieces */
    size_t room;           /* of `kept` */
    bool unreadable;       /* a length below 0 has come; what follows is passed over */
};

/* A whole message, without its length: its first `kept` bytes of `length`, until the call ends. */
typedef void splitter_listener(void *context, const unsigned char *message, size_t kept,
                               size_t length);

/* Calls `on_message` for each message that these bytes complete; it may set unreadable. */
void splitter_feed(struct splitter *splitter, const unsigned char *bytes, size_t count,
                   splitter_listener *on_message, void *context);

void splitter_deinit(struct splitter *splitter);

#endif
