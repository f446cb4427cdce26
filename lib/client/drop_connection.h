// SPDX-License-Identifier: Apache-2.0
/*
 * drop_connection: loses a session's connection at a chosen moment. Layer: client, below the
 * drivers.
 *
 * The client library owns its socket. So another socket is put under the library's descriptor: what
 * has arrived by then cannot be read any more, not even by a thread of the library that is about
 * to.
 *
 * Invariant: nothing here reads a byte that the library may still read.
 */
#ifndef CLIENT_DROP_CONNECTION_H
#define CLIENT_DROP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

/* What has arrived and is unread. */
enum drop_connection_view {
    DROP_CONNECTION_NOTHING, /* not even one whole message */
    DROP_CONNECTION_REPLY, /* among others, the reply to a request: the server has carried it out */
    DROP_CONNECTION_OTHER, /* whole messages, and none of them a reply; or the connection's end */
};

/* Looks at a connection on which at most one request is outstanding. */
enum drop_connection_view drop_connection_look(int descriptor);

/* From now on what arrives (up to some megabytes) wakes no thread that polls the connection. */
void drop_connection_hold(int descriptor);

/*
 * Ends the connection as the end of its process would, and puts another socket under its
 * descriptor. With other_end NULL the library finds that its connection has ended. Else it finds an
 * idle connection, which takes what it sends; *other_end is the caller's to close, after the
 * library's handle. Before that, sends `length` bytes of the caller's (0: none), which still reach
 * the server: the library may hold no unsent ones. False, with nothing done, if the system allows
 * no more descriptors, or the connection does not take these bytes.
 *
 * The connection must stand: the number of a descriptor that the library has closed may be that of
 * another socket. A thread that is reading or writing at this moment, not polling, may find the
 * connection ended in spite of other_end, and begin to connect again.
 */
bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end);

/* Reads and drops what has arrived. True if the connection has ended. */
bool drop_connection_drain(int descriptor);

/* To be called right before the library closes its handle: the idle connection takes no more bytes,
 * so that the library's request to close the session fails at once. */
void drop_connection_end(int other_end);

#endif
