// SPDX-License-Identifier: Apache-2.0
/*
 * socket_owner: which of the process's sockets is a session's. Layer: client, below threads.
 *
 * The multi-threaded library does not tell its sockets. Sessions of a process make their sockets
 * one at a time, so that each can be told to be its session's. After a reconnect the socket is
 * looked for under the same number, which it has as a rule, since the library closes the one before
 * it opens the other; if it is not there, the session has none from then on.
 *
 * A socket owner stands for a session. Only the thread of this session changes and uses it; the
 * thread that cuts a reply acts for the session's thread.
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
    uint64_t searched_ns; /* by all searches since the last that found a socket */
};

struct socket_owner {
    struct socket_owners *owners;
    struct socket_owner *next;
    int descriptor;  /* the library's socket, or -1 */
    uint64_t cookie; /* the kernel's number of that socket when it was last confirmed, or 0 */
};

void socket_owners_init(struct socket_owners *owners);

/* Every owner has been dropped. */
void socket_owners_deinit(struct socket_owners *owners);

/* An owner without a socket, which socket_owner_find puts on the list of `owners`. */
void socket_owner_init(struct socket_owner *socket_owner, struct socket_owners *owners);

/* Waits for the socket that the library opens since socket_info_look, which is there at once unless
 * nobody listens: two seconds at most, or 20 ms if as much has been waited in vain before. One
 * search at a time. */
void socket_owner_find(struct socket_owner *socket_owner, const struct socket_info_search *search);

/* The connection stands: its socket is the one that was found, or the one that came after it. */
void socket_owner_confirm(struct socket_owner *socket_owner);

/* Whether the connection stands that was last confirmed. */
bool socket_owner_stands(const struct socket_owner *socket_owner);

/* The socket is the session's no more; nothing is closed. Fine more than once. */
void socket_owner_drop(struct socket_owner *socket_owner);

#endif
