// SPDX-License-Identifier: Apache-2.0
/*
 * sockets: the client library's sockets: their counters, whose they are, and the loss of their
 * connections at a chosen moment. Layer: client.
 *
 * The library owns its sockets, and closes and reopens them when it likes, often under the same
 * descriptor number. So a socket is known here by the kernel's cookie, a number that no other
 * socket ever has.
 */
#ifndef CLIENT_SOCKETS_H
#define CLIENT_SOCKETS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of payload sent and received so far, without retransmissions; false, with the outputs
 * unchanged, if the descriptor is no TCP socket. */
bool socket_info_bytes(int descriptor, uint64_t *sent_bytes, uint64_t *received_bytes);

/* Bytes that have arrived and are unread; 0 if the descriptor is no TCP socket. */
size_t socket_info_unread(int descriptor);

/*
 * The socket that a session's library has: the multi-threaded library has no call that returns it.
 * Sessions of a process make their first sockets one at a time, so a new socket belongs to the
 * session that is being opened. After a reconnect the socket is looked for under the same number,
 * which it usually has because the library closes the old socket first; if it is not there, the
 * session has none from then on.
 *
 * A socket owner stands for a session. Only the thread of this session uses it, or the thread that
 * cuts a reply for it. Invariant: no two owners of the same struct socket_owners have the same
 * socket.
 */
struct socket_owner {
    struct socket_owners *owners;
    int descriptor;  /* the library's socket, or -1 */
    uint64_t cookie; /* of that socket when it was last confirmed, or 0 */
    int lowest;      /* the lowest free descriptor before the library opened one; -1: none */
    uint64_t before; /* a bit for each descriptor from there on that was a TCP socket */
};

/* All socket owners of the process. */
struct socket_owners {
    pthread_mutex_t mutex;
    bool futile; /* the last search found nothing */
    size_t count;
    struct socket_owner all[];
};

/* Owners without a socket; the caller's to socket_owners_free. */
struct socket_owners *socket_owners_new(size_t count);
void socket_owners_free(struct socket_owners *owners);

/* Before the library opens its socket: notes which descriptors are sockets. Until socket_owner_find
 * no other thread of the process may open sockets. */
void socket_owner_begin(struct socket_owner *owner);

/* Waits for the first descriptor that has become a socket, the library's; it appears at once unless
 * no server listens. Waits two seconds at most, or 20 ms if the last search found nothing. */
void socket_owner_find(struct socket_owner *owner);

/* When a connection is reported: looks whether its socket is under the known descriptor. */
void socket_owner_confirm(struct socket_owner *owner);

/* Whether the connection that was last confirmed still exists. */
bool socket_owner_stands(const struct socket_owner *owner);

/* Forgets the socket, and closes nothing. May be called more than once. */
void socket_owner_drop(struct socket_owner *owner);

/* The loss of a connection at a chosen moment: another socket is put under the library's
 * descriptor. What has arrived by then cannot be read any more, not even by a thread of the library
 * that is about to. Nothing here reads a byte that the library may still read. */

/* What has arrived and is unread. */
enum drop_connection_view {
    DROP_CONNECTION_NOTHING, /* not even one whole message */
    DROP_CONNECTION_REPLY, /* among others, the reply to a request: the server has carried it out */
    DROP_CONNECTION_OTHER, /* whole messages, and none of them a reply; or the connection's end */
};

/* Looks at a connection on which at most one request is outstanding. */
enum drop_connection_view drop_connection_peek(int descriptor);

/* From now on what arrives (up to some megabytes) wakes no thread that polls the connection. */
void drop_connection_hold(int descriptor);

/* Ends a connection that exists as the end of its process would, after `length` bytes of the
 * caller's (0: none; the library may hold no unsent ones), which still reach the server. With
 * other_end NULL the library finds that its connection has ended; else an idle connection, which
 * takes what it sends, and *other_end is the caller's to close, after the library's handle. False,
 * with nothing done, if the system allows no more descriptors, or the connection does not take the
 * bytes. A thread that is reading or writing at this moment, not polling, may find the connection
 * ended in spite of other_end, and begin to connect again. */
bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end);

/* Reads and drops what has arrived. True if the connection has ended. */
bool drop_connection_drain(int descriptor);

/* To be called right before the library closes its handle: the idle connection takes no more bytes,
 * so that the library's request to close the session fails at once. */
void drop_connection_end(int other_end);

#endif
