// SPDX-License-Identifier: Apache-2.0
/*
 * events: many ZooKeeper sessions in one process, on one epoll loop. Layer: zk.
 *
 * Drives handles of the Apache C client's single-threaded build (libzookeeper_st). One loop a
 * process: that library shares its request counter and static buffers between handles. A process
 * that forks must not use the loop in both halves: the child calls events_abandon.
 *
 * Invariant: every callback (listeners, watched descriptors) runs inside events_poll, events_close
 * or events_free of its loop, never inside an operation.
 */
#ifndef ZK_EVENTS_H
#define ZK_EVENTS_H

#include "base/fault.h"
#include "zk/client.h"

#include <stddef.h>
#include <stdint.h>

struct events;

/* A loop for at most `capacity` sessions. On success *events is the caller's to events_free.
 * FAULT_NO_CLIENT_LIBRARY, FAULT_NO_MEMORY and those of errno. */
MUST_CHECK enum fault_kind events_new(size_t capacity, struct events **events, struct fault *fault);

/*
 * Begins to open a session with the servers of `hosts` (the C client's syntax, tried in this order,
 * chroot included); the listener hears CLIENT_ESTABLISHED when it stands. The client belongs to the
 * loop. hosts is copied. FAULT_NO_MEMORY, FAULT_UNRESOLVED, FAULT_USAGE.
 */
MUST_CHECK enum fault_kind events_open(struct events *events, const char *hosts,
                                       uint32_t session_timeout_ms,
                                       const struct client_listener *listener, void *owner,
                                       struct client **client, struct fault *fault);

/* Lets go of the session that was opened last and has expired: its client is gone, and its place
 * free for another. Asks no server, and waits for nothing. Not to be called from a callback. */
void events_forget(struct events *events);

/* Calls `ready` whenever the descriptor is readable; at most four descriptors at once. */
MUST_CHECK enum fault_kind events_watch(struct events *events, int descriptor,
                                        void (*ready)(void *context), void *context,
                                        struct fault *fault);

/* Stops watching a descriptor, before it is closed; one that is not watched is fine. */
void events_unwatch(struct events *events, int descriptor);

/*
 * Waits for something to happen, at most until `until_ns` of the monotonic clock, and handles
 * everything that is ready: once through, then returns. Pings and reconnects happen in here, so
 * call it again soon.
 */
MUST_CHECK enum fault_kind events_poll(struct events *events, uint64_t until_ns,
                                       struct fault *fault);

/*
 * Ends all sessions at once: a close request on every connection, then one wait for the servers to
 * have closed them, until `until_ns` at most. What a server has not confirmed by then ends with its
 * session's timeout. Returns how many were not confirmed, crashed ones (client_crash) not among
 * them. Afterwards the loop holds no sessions.
 */
size_t events_close(struct events *events, uint64_t until_ns);

/* Frees the loop; sessions still open are closed, for up to a second. NULL is fine. */
void events_free(struct events *events);

/* For a forked child: closes its copies of the descriptors without a word to any server, and leaves
 * the memory alone. */
void events_abandon(struct events *events);

#endif
