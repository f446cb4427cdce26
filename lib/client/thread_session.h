// SPDX-License-Identifier: Apache-2.0
/*
 * thread_session: one session on a thread of its own, as a client. Layer: client, below
 * thread_sessions.
 *
 * Drives a handle of the Apache C client's multi-threaded build. A session with a depth of one
 * makes synchronous calls: a submitted operation is only copied (client/request_copy.h); the thread
 * carries it out when the callback that submitted it has returned. With a greater depth it makes
 * asynchronous calls (client/async_calls.h) at once; the library's completion thread waits while
 * the session's thread reads a reply, so that nothing of the reply is copied. Between requests the
 * thread takes the letters of the session's mailbox (client/mailbox.h): watch events and states
 * from the library's completion thread, orders from the owner of the sessions.
 *
 * A third thread waits for a reply that is to be cut. It ends with the request.
 *
 * Invariant: the session's thread alone calls the listener and the hooks, except for an order that
 * comes while it is busy (thread_session_order).
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

/* Callbacks beside those of the listener, on the session's thread. */
struct thread_session_hooks {
    void (*order)(void *owner, int order);        /* see thread_session_order */
    void (*alarm)(void *owner, uint64_t late_ns); /* see thread_session_alarm */
    void (*waits)(void *owner);                   /* the thread is idle, and about to wait */
};

/* What the sessions of a process share. */
struct thread_session_common {
    struct library library;
    struct thread_session_hooks hooks;
    struct socket_owners owners;
};

enum thread_session_phase { THREAD_SESSION_STARTING, THREAD_SESSION_OPEN, THREAD_SESSION_ENDED };

struct thread_session {
    struct client client; /* first: a pointer to it is one to the session */
    struct thread_session_common *common;
    pthread_t thread;
    zhandle_t *zk;

    /* For the session's thread alone. */
    struct socket_owner socket_owner;
    int other_end; /* crashed: the peer of the socket that the library takes for its own; else -1 */
    bool cutting;  /* the reply to the copied operation is to be lost */
    bool copied;   /* an operation is to be carried out */
    struct request_copy copy;
    char *value;       /* room for the data that a get reads */
    uint64_t alarm_ns; /* 0: none */
    bool apart;        /* it has heard of no connection since it began or lost the last */

    struct async_calls calls; /* of a session with a depth over one, instead of the copy */
    struct mailbox mailbox;

    pthread_mutex_t mutex; /* of the phase */
    pthread_cond_t progress;
    enum thread_session_phase phase;

    /* For the start of the thread. */
    const char *hosts; /* of the caller of thread_session_open, who waits */
    uint32_t session_timeout_ms;
    struct error error; /* why it could not be opened */
};

/* See thread_sessions_open. *common must outlive the session, which must not be moved. After
 * success thread_session_close is due. */
MUST_CHECK enum error_kind
thread_session_open(struct thread_session *session, struct thread_session_common *common,
                    const char *hosts, uint32_t session_timeout_ms, uint32_t depth,
                    const struct client_listener *listener, void *owner, struct error *error);

/*
 * Has the hook called with this order, on the session's thread, after what is in the mailbox. While
 * the session is inside a synchronous call, or is being closed after a crash, the hook is called at
 * once on the caller's thread; then it may submit nothing. A session that has crashed, or left,
 * still carries out orders, until thread_session_end. To be called by the thread that opened the
 * session.
 */
void thread_session_order(struct client *client, int order);

/* Sets the session's only alarm, for which the hook is called late_ns after due_ns. To be called on
 * the session's thread. */
void thread_session_alarm(struct client *client, uint64_t due_ns);

/* Has the thread close its session and end, and does not wait for it. No callback is called from
 * then on. */
void thread_session_end(struct thread_session *session);

/* Waits until the thread has ended, until `until_ns` at most. False if it has not. */
bool thread_session_await_end(struct thread_session *session, uint64_t until_ns);

/* Joins the thread, which has ended, and frees what thread_session_open has taken. */
void thread_session_close(struct thread_session *session);

#endif
