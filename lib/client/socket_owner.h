// SPDX-License-Identifier: Apache-2.0
/*
 * socket_owner: which of the process's sockets is a session's. Layer: client, below thread_session.
 *
 * The multi-threaded library has no call that returns a session's socket. Sessions of a process
 * make their first sockets one at a time, so a new socket belongs to the session that is being
 * opened. After a reconnect the socket is looked for under the same number, which it usually has
 * because the library closes the old socket first; if it is not there, the session has none from
 * then on.
 *
 * A socket owner stands for a session. Only the thread of this session uses it, or the thread that
 * cuts a reply for it.
 *
 * Invariant: no two owners of the same struct socket_owners have the same socket.
 */
#ifndef CLIENT_SOCKET_OWNER_H
#define CLIENT_SOCKET_OWNER_H

#include "client/socket_info.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
