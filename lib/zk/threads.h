// SPDX-License-Identifier: Apache-2.0
/*
 * threads: ZooKeeper sessions with a thread each, as applications have them. Layer: zk.
 *
 * Drives handles of the Apache C client's multi-threaded build (libzookeeper_mt); how a session
 * lives on its thread is in zk/solo.h.
 *
 * A reply is delivered before what lies in the session's mailbox; but a session that knows its
 * connection lost hears of the next one before it is answered over it. The library hands replies to
 * synchronous calls and watch events over on different ways, so an event may be delivered after the
 * reply to a request that was sent later; never before the reply that armed it.
 *
 * Bytes: the library does not tell its sockets; how they are found is in zk/claim.h. If a session's
 * is not found after a reconnect, its bytes are counted no more: client_bytes says false.
 *
 * A request that a note has no room for (zk/note.h) is not sent, and answered by ZK_OTHER_ERROR; a
 * reply to get holds SYNCHRONOUS_VALUE_MAX bytes (zk/synchronous.h), and what is more is cut off.
 *
 * Faults: they need the session's socket, and do nothing while it is not known; nor do client_crash
 * and client_leave in a hook that is called while the session is inside a request. A reply to be
 * cut is waited for by a thread of its own; if the system allows none, the operation is not sent,
 * and answered by ZK_OTHER_ERROR. A session that crashed is one of those that have closed.
 *
 * Invariant: everything that a session's listener hears, it hears on the session's thread (but see
 * threads_order), never from inside an operation.
 */
#ifndef ZK_THREADS_H
#define ZK_THREADS_H

#include "base/fault.h"
#include "zk/client.h"

#include <stddef.h>
#include <stdint.h>

struct threads;

/* What the owner of the sessions is told beside their listeners, on the session's thread. */
struct threads_hooks {
    /* What was sent with threads_order. */
    void (*order)(void *owner, int order);
    /* The alarm set with threads_alarm, late_ns behind its time. */
    void (*alarm)(void *owner, uint64_t late_ns);
    /* The session's thread has done all there was to do, and is about to wait. */
    void (*waits)(void *owner);
};

/* Room for at most `capacity` sessions. On success *threads is the caller's to threads_free.
 * FAULT_NO_CLIENT_LIBRARY, FAULT_NO_MEMORY. */
MUST_CHECK enum fault_kind threads_new(size_t capacity, const struct threads_hooks *hooks,
                                       struct threads **threads, struct fault *fault);

/*
 * Starts a session's thread and begins to open its session; returns when its socket has been made.
 * Arguments as of events_open. FAULT_NO_MEMORY, FAULT_UNRESOLVED, FAULT_USAGE, and FAULT_SYSTEM if
 * the system allows no more threads: a session takes three.
 */
MUST_CHECK enum fault_kind threads_open(struct threads *threads, const char *hosts,
                                        uint32_t session_timeout_ms,
                                        const struct client_listener *listener, void *owner,
                                        struct client **client, struct fault *fault);

/*
 * Has the hook called with this order, on the session's thread, in the order of the mailbox. If the
 * session is inside a request, which may take long, the hook is called at once on the caller's
 * thread, while the session's is held back: nothing may be sent from it then. To be called by the
 * thread that opened the session.
 */
void threads_order(struct client *client, int order);

/* Sets the session's only alarm; to be called on its thread. */
void threads_alarm(struct client *client, uint64_t due_ns);

/*
 * Has each thread close its session, all at once, until `until_ns` at most; no listener hears
 * anything from then on. Returns how many have not: their threads, stuck in a request or in the
 * library, go on using their memory and their owners', and end with the process.
 */
size_t threads_close(struct threads *threads, uint64_t until_ns);

/* Frees what threads_close has closed, all sessions, and nothing else. NULL is fine. */
void threads_free(struct threads *threads);

#endif
