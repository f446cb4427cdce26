// SPDX-License-Identifier: Apache-2.0
/*
 * claim: which of the process's sockets is a session's. Layer: zk, below threads.
 *
 * The multi-threaded library does not tell its sockets. Sessions of a process make their sockets
 * one at a time, so that each can be told to be its session's. After a reconnect the socket is
 * looked for under the same number, which it has as a rule, since the library closes the one before
 * it opens the other; if it is not there, the session has none from then on.
 *
 * A claim is changed by its session's thread alone, which alone may use it; the thread that cuts a
 * reply does so in its name.
 *
 * Invariant: no two claims of the same struct claims have the same socket.
 */
#ifndef ZK_CLAIM_H
#define ZK_CLAIM_H

#include "zk/connection.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All claims of the process, for threads. */
struct claims {
    pthread_mutex_t mutex;
    struct claim *first;
};

struct claim {
    struct claims *claims;
    struct claim *next;
    int descriptor;  /* the library's socket, or -1 */
    uint64_t cookie; /* the kernel's number of that socket when it was last confirmed, or 0 */
};

void claims_init(struct claims *claims);

/* No claim has been left undropped. */
void claims_deinit(struct claims *claims);

/* A claim without a socket; not on the list of `claims` before claim_find. */
void claim_init(struct claim *claim, struct claims *claims);

/* Waits for the socket that the library opens since connection_look, for seconds at most: it is
 * there at once, unless nobody listens. */
void claim_find(struct claim *claim, const struct connection_search *search);

/* The connection stands: its socket is the one that was found, or the one that came after it. */
void claim_confirm(struct claim *claim);

/* Whether the connection stands that was last confirmed. */
bool claim_stands(const struct claim *claim);

/* The socket is the session's no more; nothing is closed. Fine more than once. */
void claim_drop(struct claim *claim);

#endif
