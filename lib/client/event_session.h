// SPDX-License-Identifier: Apache-2.0
/*
 * event_session: one handle of the Apache C client's single-threaded build, as a client. Layer:
 * client, below events.
 *
 * Knows the library's calls, completions and states; knows nothing of epoll. event_loop.c decides
 * when it is driven.
 *
 * Invariant: `descriptor` is the library's socket, or -1 when it has none; the library may close
 * and open its socket whenever it is driven (event_session_process, event_session_refresh).
 */
#ifndef CLIENT_EVENT_SESSION_H
#define CLIENT_EVENT_SESSION_H

#include "base/error.h"
#include "client/async_calls.h"
#include "client/client.h"
#include "client/library.h"

#include <stdbool.h>
#include <stdint.h>

struct event_session {
    struct client client; /* first: a client of this driver is a handle */
    const struct library *library;
    zhandle_t *zk;
    struct async_calls calls;
    int descriptor;
    uint64_t connection;   /* how many the library has told of, the present one included */
    uint32_t epoll_events; /* what the library wants to hear of: EPOLLIN, EPOLLOUT */
    uint64_t deadline_ns;  /* when the library wants to be driven although nothing happened */
    /* The socket is new, or may be: its number alone does not tell, the library reopens under the
     * same one. */
    bool reopened;
    size_t close_sent; /* of the close request, in bytes */
    bool asked;        /* the whole close request has been sent */
    bool cutting;      /* the reply to the outstanding operation is to be lost */
    bool crashed;      /* the library is not driven any more */
    int other_end;     /* crashed: the peer of the socket that the library takes for its own */
    bool driven;       /* event_session_process is calling the library */
    /* It was given a request since it was driven last, and is on the loop's list; the loop
     * refreshes it when it takes it off the list. */
    bool neglected;
    struct event_session *next_neglected;
    struct event_session **all_neglected; /* the list; NULL: there is no loop */
};

/* Makes a handle whose library begins to connect when it is driven. The library is the
 * single-threaded build, and must outlive the handle. See event_loop_open for the other arguments.
 */
MUST_CHECK enum error_kind event_session_init(struct event_session *session,
                                              const struct library *library, const char *hosts,
                                              uint32_t session_timeout_ms, uint32_t depth,
                                              const struct client_listener *listener, void *owner,
                                              struct error *error);

/* Frees the handle. Asks the server for nothing, and waits for nothing: a connection that still
 * stands is cut. */
void event_session_deinit(struct event_session *session);

/* Lets the library handle what epoll says of its socket (one message at most), and then connect,
 * ping or give a connection up as it thinks fit; brings descriptor, epoll_events, deadline_ns and
 * reopened up to date. */
void event_session_process(struct event_session *session, uint32_t epoll_events);
void event_session_refresh(struct event_session *session);

enum event_session_closing {
    EVENT_SESSION_ASKED,   /* the close request has gone out */
    EVENT_SESSION_BLOCKED, /* the socket has no room for what is to go out */
    EVENT_SESSION_CUT_OFF, /* there is no connection: the session ends with its timeout */
};

/*
 * Closes the session, as far as it goes without waiting: has the library send what it still holds,
 * and then sends a close request, past the library. While blocked, to be called again when the
 * socket takes more. From the first call on the listener hears nothing, and the socket is the
 * caller's to read.
 */
enum event_session_closing event_session_close(struct event_session *session);

/* The driver's operations, for a struct client at the head of a struct event_session. */
extern const struct client_driver event_session_driver;

#endif
