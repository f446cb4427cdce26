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

/* To find a socket that other code opens: socket_info_look notes which of the descriptors from the
 * lowest free one on are sockets; socket_owner_find takes the first that has become a socket since.
 * In between no other thread of the process may open sockets. */
struct socket_info_search {
    int first;       /* the lowest free descriptor */
    uint64_t before; /* a bit for each descriptor from there on: it is a TCP socket */
};

void socket_info_look(struct socket_info_search *search);

/*
 * Which of the process's sockets is a session's: the multi-threaded library has no call that
 * returns it. Sessions of a process make their first sockets one at a time, so a new socket belongs
 * to the session that is being opened. After a reconnect the socket is looked for under the same
 * number, which it usually has because the library closes the old socket first; if it is not there,
 * the session has none from then on.
 *
 * A socket owner stands for a session. Only the thread of this session uses it, or the thread that
 * cuts a reply for it. Invariant: no two owners of the same struct socket_owners have the same
 * socket.
 */

/* All socket owners of the process. */
struct socket_owners {
    pthread_mutex_t mutex;
    struct socket_owner *first;
    uint64_t searched_ns; /* duration of all searches since one last found a socket */
};

struct socket_owner {
    struct socket_owners *owners;
    struct socket_owner *next;
    int descriptor;  /* the library's socket, or -1 */
    uint64_t cookie; /* of that socket when it was last confirmed, or 0 */
};

void socket_owners_init(struct socket_owners *owners);

/* To be called when every owner has been dropped. */
void socket_owners_deinit(struct socket_owners *owners);

/* An owner without a socket, which socket_owner_find puts on the list of `owners`. */
void socket_owner_init(struct socket_owner *socket_owner, struct socket_owners *owners);

/* Waits for the socket that the library opens after socket_info_look; it appears at once unless no
 * server listens. Waits two seconds at most, or 20 ms if earlier searches have waited that long in
 * vain. One search at a time. */
void socket_owner_find(struct socket_owner *socket_owner, const struct socket_info_search *search);

/* To be called when a connection stands. Looks whether its socket is under the known descriptor. */
void socket_owner_confirm(struct socket_owner *socket_owner);

/* Whether the connection that was last confirmed still stands. */
bool socket_owner_stands(const struct socket_owner *socket_owner);

/* Forgets the socket, and closes nothing. May be called more than once. */
void socket_owner_drop(struct socket_owner *socket_owner);

/*
 * The loss of a connection at a chosen moment: another socket is put under the library's
 * descriptor. What has arrived by then cannot be read any more, not even by a thread of the library
 * that is about to. Nothing here reads a byte that the library may still read.
 */

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
