// SPDX-License-Identifier: Apache-2.0
/*
 * thread_session: one session on a thread of its own, as a client. Layer: client, below
 * thread_sessions.
 *
 * Drives a handle of the Apache C client's multi-threaded build, with its synchronous calls if the
 * session has a depth of one. Then an operation is only copied (client/request_copy.h) when it is
 * asked for; the thread carries it out as soon as the callback that asked for it has returned, and
 * then delivers the reply. With a greater depth it makes asynchronous calls (client/async_calls.h)
 * at once, and the library's completion thread waits while the session's reads a reply: nothing of
 * the reply is copied. Between requests it empties the session's mailbox (client/mailbox.h): watch
 * events and states from the library's completion thread, orders from the owner of the sessions.
 *
 * A reply to be cut is waited for by a third thread, which lives as long as the request.
 *
 * Invariant: the thread alone calls the listener and the hooks, but for an order that is carried
 * out while it is busy (thread_session_order).
 */
#ifndef CLIENT_THREAD_SESSION_H
#define CLIENT_THREAD_SESSION_H

#include "base/error.h"
#include "client/async_calls.h"
#include "client/client.h"
#include "client/library.h"
#include "client/mailbox.h"
#include "client/request_copy.h"
#include "client/socket_owner.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What the owner of the sessions is told beside their listeners, on the session's thread. */
struct thread_session_hooks {
    /* What was sent with thread_session_order. */
    void (*order)(void *owner, int order);
    /* The alarm set with thread_session_alarm, late_ns behind its time. */
    void (*alarm)(void *owner, uint64_t late_ns);
    /* The session's thread has done all there was to do, and is about to wait. */
    void (*waits)(void *owner);
};

/* What the sessions of a process share. */
struct thread_session_common {
    struct library library;
    struct thread_session_hooks hooks;
    struct socket_owners owners;
};

enum thread_session_phase { THREAD_SESSION_STARTING, THREAD_SESSION_OPEN, THREAD_SESSION_ENDED };

struct thread_session {
    struct client client; /* first: a client of this driver is one */
    struct thread_session_common *common;
    pthread_t thread;
    zhandle_t *zk;

    /* The session's thread alone. */
    struct socket_owner socket_owner; /* to the library's socket */
    int other_end; /* crashed: the peer of the socket that the library takes for its own; else -1 */
    bool cutting;  /* the reply to the copied operation is to be lost */
    bool copied;   /* an operation is to be carried out */
    struct request_copy copy;
    char *value;       /* room for the data that a get reads */
    uint64_t alarm_ns; /* 0: none */
    bool apart; /* it knows of no connection: none yet, or it heard of the loss of the last */

    struct async_calls calls; /* of a session with a depth over one, instead of the copy */
    struct mailbox mailbox;

    /* Under the mutex: how far the thread has come. */
    pthread_mutex_t mutex;
    pthread_cond_t progress;
    enum thread_session_phase phase;

    /* For the thread's beginning. */
    const char *hosts; /* of thread_session_open's caller, who waits */
    uint32_t session_timeout_ms;
    struct error error; /* why it could not be opened */
};

/* See thread_sessions_open. *common must outlive the session, which must not be moved. On success
 * thread_session_close is due. */
MUST_CHECK enum error_kind
thread_session_open(struct thread_session *session, struct thread_session_common *common,
                    const char *hosts, uint32_t session_timeout_ms, uint32_t depth,
                    const struct client_listener *listener, void *owner, struct error *error);

/*
 * Has the hook called with this order, on the session's thread, in the order of the mailbox. If the
 * session is inside a request, which may take long, or is being closed after a crash, the hook is
 * called at once on the caller's thread, while the session's is held back: nothing may be sent from
 * it then. A session that has crashed, or left, has its orders carried out like any other, until
 * thread_session_end. To be called by the thread that opened the session.
 */
void thread_session_order(struct client *client, int order);

/* Sets the session's only alarm; to be called on its thread. */
void thread_session_alarm(struct client *client, uint64_t due_ns);

/* Has the thread close its session, and end; the listener hears nothing from then on. Does not wait
 * for it. */
void thread_session_end(struct thread_session *session);

/* Waits for the end, until `until_ns` at most. False if the thread has not ended by then. */
bool thread_session_await_end(struct thread_session *session, uint64_t until_ns);

/* Frees what thread_session_open has taken; the thread has ended. */
void thread_session_close(struct thread_session *session);

#endif
