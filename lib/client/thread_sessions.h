// SPDX-License-Identifier: Apache-2.0
/*
 * thread_sessions: ZooKeeper sessions with a thread each, as applications have them. Layer: client.
 *
 * The library delivers replies to synchronous calls and watch events on different threads, so an
 * event may be delivered after the reply to a request that was sent later; never before the reply
 * that armed the watch. After the loss of a connection the next connection is reported before the
 * replies over it.
 *
 * A session makes synchronous calls, one at a time. A request with a path of HANDLE_PATH_MAX bytes
 * or values of more than HANDLE_VALUE_MAX (client/library.h) is not sent, and answered by
 * ZK_OTHER_ERROR; data of a get beyond HANDLE_VALUE_MAX bytes is cut off. The call of the moment in
 * which the session expires may block in the library until the session is closed. If a session's
 * socket is not found after a reconnect, client_bytes is false from then on.
 *
 * Injected errors need the session's socket, and are false while it is not known. client_crash and
 * client_leave are false too in a hook that is called while the session is inside a request. If the
 * system allows no thread to wait for a reply that is to be cut, the operation is not sent, and
 * answered by ZK_OTHER_ERROR. After client_crash the library may begin to connect again until its
 * handle is closed, some microseconds later, if the crash came while it was inside a system call on
 * its socket, other than poll.
 *
 * Invariant: a session's listener is called on the session's thread, never from inside an
 * operation.
 */
#ifndef CLIENT_THREAD_SESSIONS_H
#define CLIENT_THREAD_SESSIONS_H

#include "base/error.h"
#include "client/client.h"
#include "client/identity.h"

#include <stddef.h>
#include <stdint.h>

struct thread_sessions;

/* Callbacks other than those of the listener, on the session's thread. */
struct thread_session_hooks {
    void (*order)(void *owner, int order);        /* see thread_session_order */
    void (*alarm)(void *owner, uint64_t late_ns); /* see thread_session_alarm */
    void (*waits)(void *owner);                   /* the thread is idle, and about to wait */
};

/* Room for at most `capacity` sessions, with an identity as that of event_loop_new. On success
 * *sessions is the caller's to thread_sessions_free. ERROR_NO_CLIENT_LIBRARY, ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind thread_sessions_new(size_t capacity, const struct identity *identity,
                                               const struct thread_session_hooks *hooks,
                                               struct thread_sessions **sessions,
                                               struct error *error);

/* Begins to open a session, and starts its thread; returns when its socket was found, or not in
 * time. Arguments and errors as for event_loop_open, and ERROR_SYSTEM if the system allows no more
 * threads: a session takes three. */
MUST_CHECK enum error_kind thread_sessions_open(struct thread_sessions *sessions, const char *hosts,
                                                uint32_t session_timeout_ms,
                                                const struct client_listener *listener, void *owner,
                                                struct client **client, struct error *error);

/* Has the hook called with this order, on the session's thread, after what is in the mailbox. While
 * the session is inside a synchronous call, or is being closed after a crash, the hook is called at
 * once on the caller's thread; then it may submit nothing. A session that has crashed, or left,
 * still carries out orders, until thread_sessions_close. Only for the thread that opened it. */
void thread_session_order(struct client *client, int order);

/* On the session's thread: sets its only alarm. The hook is called late_ns after due_ns. */
void thread_session_alarm(struct client *client, uint64_t due_ns);

/* Closes all sessions, until `until_ns` at most; no listener is called from then on. Returns the
 * number of sessions that are not closed: their threads, blocked in the library, still use the
 * memory of the sessions and of their owners. */
size_t thread_sessions_close(struct thread_sessions *sessions, uint64_t until_ns);

/* To be called when thread_sessions_close has closed all sessions. NULL is fine. */
void thread_sessions_free(struct thread_sessions *sessions);

#endif
