// SPDX-License-Identifier: Apache-2.0
/*
 * event_loop: many ZooKeeper sessions in one process, on one epoll loop. Layer: client.
 *
 * Drives handles of the Apache C client's single-threaded build (libzookeeper_st). One loop a
 * process: that library shares its request counter and static buffers between handles. A process
 * that forks must not use the loop in both halves: the child calls event_loop_abandon.
 *
 * Invariant: every callback (listeners, watched descriptors) runs inside event_loop_poll,
 * event_loop_close or event_loop_free of its loop, never inside an operation.
 */
#ifndef CLIENT_EVENT_LOOP_H
#define CLIENT_EVENT_LOOP_H

#include "base/error.h"
#include "client/client.h"
#include "client/identity.h"

#include <stddef.h>
#include <stdint.h>

struct event_loop;

#define EVENT_LOOP_MESSAGES_MAX 16 /* of a session with a depth over one, in its turn */

/* A loop for at most `capacity` sessions of this identity (NULL: none), which must outlive the
 * loop. ERROR_NO_CLIENT_LIBRARY, ERROR_NO_MEMORY and those of errno. */
MUST_CHECK enum error_kind event_loop_new(size_t capacity, const struct identity *identity,
                                          struct event_loop **events, struct error *error);

/* Begins to open a session with the servers of `hosts` (the C client's syntax, tried in this order,
 * chroot included). Its state is CLIENT_ESTABLISHED when it is connected: with credentials, when
 * the server has replied to the first ones. depth: operations outstanding, 1 to CLIENT_DEPTH_MAX.
 * The client is the loop's. hosts is copied. ERROR_NO_MEMORY, ERROR_UNRESOLVED, ERROR_USAGE. */
MUST_CHECK enum error_kind event_loop_open(struct event_loop *events, const char *hosts,
                                           uint32_t session_timeout_ms, uint32_t depth,
                                           const struct client_listener *listener, void *owner,
                                           struct client **client, struct error *error);

/* Frees the session that was opened last and has expired, without a message. Not in a callback. */
void event_loop_forget(struct event_loop *events);

/* Calls `ready` whenever the descriptor is readable; at most four descriptors at once. */
MUST_CHECK enum error_kind event_loop_watch(struct event_loop *events, int descriptor,
                                            void (*ready)(void *context), void *context,
                                            struct error *error);

/* Before a descriptor is closed; one that is not watched is fine. */
void event_loop_unwatch(struct event_loop *events, int descriptor);

/* Waits until `until_ns` of the monotonic clock at most, and handles once what is ready: of each
 * session one message, or up to EVENT_LOOP_MESSAGES_MAX if its depth is over one. Pings and
 * reconnects happen in this call, so it must be called often.
 *
 * A request leaves when it is submitted. With a depth over one, the requests that a session submits
 * in its callbacks leave together, when its messages have been handled, and are counted then by
 * client_bytes. That time is part of the latency. */
MUST_CHECK enum error_kind event_loop_poll(struct event_loop *events, uint64_t until_ns,
                                           struct error *error);

/* Closes all sessions: sends a close request on every connection, and waits for the servers to
 * close these, until `until_ns` at most. Returns the number of sessions that were not confirmed,
 * without crashed ones (client_crash); they end at their timeout. */
size_t event_loop_close(struct event_loop *events, uint64_t until_ns);

/* Frees the loop; sessions still open are closed, for up to a second. NULL is fine. */
void event_loop_free(struct event_loop *events);

/* For a forked child: closes its copies of the descriptors. Sends nothing, and frees nothing. */
void event_loop_abandon(struct event_loop *events);

#endif
