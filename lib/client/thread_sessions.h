// SPDX-License-Identifier: Apache-2.0
/*
 * thread_sessions: ZooKeeper sessions with a thread each, as applications have them. Layer: client.
 *
 * Drives handles of the Apache C client's multi-threaded build (libzookeeper_mt); how a session
 * lives on its thread is in client/thread_session.h.
 *
 * A reply is delivered before what lies in the session's mailbox; but a session that knows its
 * connection lost hears of the next one before it is answered over it. The library hands replies to
 * synchronous calls and watch events over on different ways, so an event may be delivered after the
 * reply to a request that was sent later; never before the reply that armed it.
 *
 * Bytes: the library does not tell its sockets; how they are found is in client/socket_owner.h. If
 * a session's is not found after a reconnect, its bytes are counted no more: client_bytes says
 * false.
 *
 * A session with a depth of one makes synchronous calls. A request that a copy has no room for
 * (client/request_copy.h) is not sent, and answered by ZK_OTHER_ERROR; a reply to get holds
 * SYNC_CALLS_VALUE_MAX bytes (client/sync_calls.h), and what is more is cut off. A session with a
 * greater depth makes asynchronous calls: its replies and events come in the server's order. Its
 * paths and values may be as long as the library takes; but a request that sets a watch on a path
 * of REQUEST_COPY_PATH_MAX bytes or more is not sent either.
 *
 * A request that is submitted in the moment of the session's expiry is answered by
 * ZK_SESSION_EXPIRED with a depth of more than one. A synchronous call of that moment may block in
 * the library until the session is closed.
 *
 * Errors: they need the session's socket, and do nothing while it is not known; nor do client_crash
 * and client_leave in a hook that is called while the session is inside a request. A reply to be
 * cut is waited for by a thread of its own; if the system allows none, the operation is not sent,
 * and answered by ZK_OTHER_ERROR. A session that crashed is one of those that have closed.
 *
 * What is outstanding when a session with a depth of more than one ends is memory that the library
 * does not free: it queues the failed requests for its completion thread, which has ended then.
 *
 * Invariant: everything that a session's listener hears, it hears on the session's thread (but see
 * thread_session_order), never from inside an operation.
 */
#ifndef CLIENT_THREAD_SESSIONS_H
#define CLIENT_THREAD_SESSIONS_H

#include "base/error.h"
#include "client/client.h"
#include "client/thread_session.h"

#include <stddef.h>
#include <stdint.h>

struct thread_sessions;

/* Room for at most `capacity` sessions. On success *sessions is the caller's to
 * thread_sessions_free. ERROR_NO_CLIENT_LIBRARY, ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind thread_sessions_new(size_t capacity,
                                               const struct thread_session_hooks *hooks,
                                               struct thread_sessions **sessions,
                                               struct error *error);

/*
 * Starts a session's thread and begins to open its session; returns when its socket has been made,
 * or has been waited for long enough (socket_owner_find). Arguments as of event_loop_open.
 * ERROR_NO_MEMORY, ERROR_UNRESOLVED, ERROR_USAGE, and ERROR_SYSTEM if the system allows no more
 * threads: a session takes three.
 */
MUST_CHECK enum error_kind thread_sessions_open(struct thread_sessions *sessions, const char *hosts,
                                                uint32_t session_timeout_ms, uint32_t depth,
                                                const struct client_listener *listener, void *owner,
                                                struct client **client, struct error *error);

/*
 * Has each thread close its session, all at once, until `until_ns` at most; no listener hears
 * anything from then on. Returns how many have not: their threads, stuck in a request or in the
 * library, go on using their memory and their owners', and end with the process.
 */
size_t thread_sessions_close(struct thread_sessions *sessions, uint64_t until_ns);

/* Frees what thread_sessions_close has closed, all sessions, and nothing else. NULL is fine. */
void thread_sessions_free(struct thread_sessions *sessions);

#endif
