// SPDX-License-Identifier: Apache-2.0
/*
 * event_session: one handle of the library's single-threaded build. Layer: client, below
 * event_loop, which owns the epoll descriptor and decides when the session is driven.
 *
 * Invariant: `descriptor` is the library's socket, or -1 when it has none; the library may close
 * and open its socket whenever it is driven.
 */
#ifndef CLIENT_EVENT_SESSION_H
#define CLIENT_EVENT_SESSION_H

#include "base/error.h"
#include "client/calls.h"
#include "client/client.h"
#include "client/library.h"

#include <stdbool.h>
#include <stdint.h>

/* Messages that the library handles at most, of a session with a depth over one, before it is
 * another session's turn. */
#define EVENT_SESSION_MESSAGES_MAX 16

struct event_session {
    struct client client; /* first: a pointer to it is one to the session */
    const struct library *library;
    zhandle_t *zk;
    struct async_calls calls;
    int descriptor;
    uint64_t connection;   /* number of the present connection, from 1 */
    uint32_t epoll_events; /* what the library waits for: EPOLLIN, EPOLLOUT */
    uint64_t deadline_ns;  /* when the library must be driven at the latest */
    /* The socket may be new: the library often reopens under the same number. */
    bool reopened;
    size_t close_sent; /* of the close request, in bytes */
    bool asked;        /* the whole close request has been sent */
    bool cutting;      /* the reply to the outstanding operation is to be lost */
    bool crashed;      /* the library is not driven any more */
    bool unanswered;   /* no reply has come to the credentials yet */
    int other_end;     /* crashed: the peer of the socket that the library takes for its own */
    bool driven;       /* event_session_process is calling the library */
    bool unpushed;     /* requests are corked, which event_session_process pushes */
    /* It was given a request since it was driven last, and is on the loop's list; the loop
     * refreshes it when it takes it off the list. */
    bool neglected;
    struct event_session *next_neglected;
    struct event_session **all_neglected; /* the list; NULL: there is no loop */
};

/* Makes a handle, which begins to connect when it is driven. The library is the single-threaded
 * build, and must outlive the handle. See event_loop_open for the other arguments. */
MUST_CHECK enum error_kind event_session_init(struct event_session *session,
                                              const struct library *library, const char *hosts,
                                              uint32_t session_timeout_ms, uint32_t depth,
                                              const struct client_listener *listener, void *owner,
                                              struct error *error);

/* Frees the handle, and ends its connection. Sends nothing and waits for nothing. */
void event_session_deinit(struct event_session *session);

/* Has the library handle these events of its socket (one message at most; with a depth over one,
 * EVENT_SESSION_MESSAGES_MAX), then connect, ping or give the connection up if due. Requests that
 * the listener submits meanwhile leave at once; with a depth over one, all together at the end of
 * the call, and client_bytes does not count them before. Both functions update descriptor,
 * epoll_events, deadline_ns and reopened. */
void event_session_process(struct event_session *session, uint32_t epoll_events);
void event_session_refresh(struct event_session *session);

enum event_session_closing {
    EVENT_SESSION_ASKED,   /* the close request was sent */
    EVENT_SESSION_BLOCKED, /* the socket has no room for all that is to be sent */
    EVENT_SESSION_CUT_OFF, /* there is no connection: the session ends at its timeout */
};

/*
 * Closes the session without waiting: has the library send what it still holds, and then sends a
 * close request, past the library. While blocked, to be called again when the socket takes more.
 * From the first call on no callback is called, and the caller reads the socket.
 */
enum event_session_closing event_session_close(struct event_session *session);

/* The operations of a struct client at the head of a struct event_session. */
extern const struct client_driver event_session_driver;

#endif
