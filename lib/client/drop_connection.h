// SPDX-License-Identifier: Apache-2.0
/*
 * drop_connection: losing a session's connection at a chosen moment. Layer: client, below the
 * drivers.
 *
 * The client library owns its socket and must find the connection lost, as it would any other. So
 * the socket is put in place of another, under the library's own descriptor: what has arrived by
 * then cannot be read any more, not even by a thread of the library that is about to.
 *
 * Invariant: nothing here reads a byte that the library may still read.
 */
#ifndef CLIENT_DROP_CONNECTION_H
#define CLIENT_DROP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

/* What has arrived, and was not read yet. */
enum drop_connection_view {
    DROP_CONNECTION_NOTHING, /* not even one whole message */
    DROP_CONNECTION_REPLY, /* among others, the reply to a request: the server has carried it out */
    DROP_CONNECTION_OTHER, /* whole messages, and none of them a reply; or the connection's end */
};

/* Looks at a connection on which at most one request is outstanding. */
enum drop_connection_view drop_connection_look(int descriptor);

/* Has the kernel tell nobody of what arrives from now on (up to some megabytes), so that a thread
 * that waits for it goes on waiting. */
void drop_connection_hold(int descriptor);

/*
 * Ends the connection as the end of its process would, and puts a socket under its descriptor that
 * has no bytes and takes none. With other_end NULL the library finds there that the connection has
 * ended; else it finds an idle one, as long as *other_end is open, which is the caller's. Before
 * that it sends `length` bytes of its own (0: none), which still reach the other side: the library
 * may hold no unsent ones. False, with nothing done, if the system allows no more descriptors, or
 * the connection does not take these bytes.
 *
 * The connection must stand: a library that is about to close it by itself would find another's
 * socket under the descriptor that it gave back.
 */
bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end);

#endif
