// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what only the two drivers of the Apache C client use. Layer: client, between library
 * and the drivers, event_loop and thread_sessions.
 */
#ifndef CLIENT_INTERNAL_H
#define CLIENT_INTERNAL_H

#include "base/error.h"
#include "client/client.h"
#include "client/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ------------------------------------------------------------------ requests as calls */

/* Nothing is copied; a reply points to what it was made of, or into the answer of a synchronous
 * call. */

enum client_event translate_event(const struct library *library, int type);
enum client_state translate_state(const struct library *library, int state);

/* The library hands what a completion was given back as constant. */
static inline void *translate_context(const void *context)
{
    void *given;
    memcpy(&given, &context, sizeof given);
    return given;
}

/* The flags of a create. The value of a create or a set, never NULL. */
int translate_mode(enum create_mode mode);
const char *translate_value(const struct request *request);

/* The parts of a multi as operations, which point into the request. Their single results are not
 * asked for. */
void translate_parts(const struct library *library, const struct request *request,
                     zoo_op_t ops[static REQUEST_PARTS_MAX]);

/*
 * The reply, but for operation, tag and latency, from the results of a call, which are read only if
 * `code` is ZOK. A create with ZOK and path NULL, a reply without a body, is ZK_OTHER_ERROR.
 */
struct client_reply translate_created(int code, const char *path);
struct client_reply translate_stat(int code, const struct Stat *stat);
struct client_reply translate_data(int code, const char *value, int length,
                                   const struct Stat *stat);
struct client_reply translate_names(int code, const struct String_vector *names);

/* Whether the session has expired or was refused. To be asked before a multi: for such a session
 * the library would free paths that are not its own (zoo_amulti in its zookeeper.c). */
bool translate_is_gone(const struct library *library, zhandle_t *zk);

/*
 * Asynchronous calls, in both builds. Invariant: requests that the library has taken are answered
 * at most once each, in their order; one that it took while its session did not expire is answered.
 * Replies come inside the library's calls in the single-threaded build, on its completion thread in
 * the other.
 */
struct async_calls {
    const struct library *library;
    zhandle_t *zk;
    /* Called with the reply but for what client_deliver_reply fills in; valid until it returns. */
    void (*replied)(void *owner, struct client_reply *reply);
    void *owner;
    /* The library writes here until multis are answered; nobody reads what it writes. */
    zoo_op_result_t results[REQUEST_PARTS_MAX];
};

/* Makes the call for a request. Returns the library's code: unless ZOK, the request was not taken.
 */
int async_calls_call(struct async_calls *calls, const struct request *request);

/* A copy of a request, for a synchronous call. What it points to lies in the copy or its values. */
#define REQUEST_COPY_PATH_MAX   256               /* bytes of a path, its terminator included */
#define REQUEST_COPY_VALUES_MAX ((size_t)1 << 20) /* bytes of the values of all parts together */

struct request_copy {
    struct request request;
    struct request parts[REQUEST_PARTS_MAX]; /* a request that is no multi: the first */
    char paths[REQUEST_PARTS_MAX][REQUEST_COPY_PATH_MAX];
    size_t values_length;
    char *values; /* of the owner: REQUEST_COPY_VALUES_MAX bytes */
};

/* Copies the request; false if there is no room: then the copy is not to be used. A copy must not
 * be moved. */
bool request_copy_take(struct request_copy *copy, const struct request *request);

/* Room for a znode's data: more than servers take by default. Bytes beyond that are cut off. */
#define SYNC_CALLS_VALUE_MAX ((size_t)1 << 20)

/* What a call writes. */
struct sync_calls_answer {
    char created[REQUEST_COPY_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    char *value; /* of the owner: SYNC_CALLS_VALUE_MAX bytes */
};

/*
 * Makes the call for a request, which may take as long as the session lives. Returns the reply but
 * for what client_deliver_reply fills in. *answer is zero but for `value`; its names are the
 * caller's to deallocate by the library.
 */
struct client_reply sync_calls_call(const struct library *library, zhandle_t *zk,
                                    const struct request *request,
                                    struct sync_calls_answer *answer);

/* ------------------------------------------------------------------ sockets */

/*
 * The client library owns its sockets, and closes and reopens them when it likes, often under the
 * same descriptor number. So a socket is known here by the kernel's cookie, a number that no other
 * socket ever has.
 */

/* Bytes of payload sent and received so far, without retransmissions; false, with the outputs
 * unchanged, if the descriptor is no TCP socket. */
bool socket_info_bytes(int descriptor, uint64_t *sent_bytes, uint64_t *received_bytes);

/* Bytes that have arrived and are unread; 0 if the descriptor is no TCP socket. */
size_t socket_info_unread(int descriptor);

/* The kernel's number of the TCP socket under this descriptor; 0 if there is none. */
uint64_t socket_info_cookie(int descriptor);

/*
 * To find a socket that other code opens: socket_info_look notes which of the descriptors from the
 * lowest free one on are sockets; socket_info_find returns the first that has become a socket
 * since, or -1. In between no other thread of the process may open sockets.
 */
struct socket_info_search {
    int first;       /* the lowest free descriptor */
    uint64_t before; /* a bit for each descriptor from there on: it is a TCP socket */
};

void socket_info_look(struct socket_info_search *search);
int socket_info_find(const struct socket_info_search *search);

/*
 * Which of the process's sockets is a session's: the multi-threaded library has no call that
 * returns it. Sessions of a process make their first sockets one at a time, so a new socket belongs
 * to the session that is being opened. After a reconnect the socket is looked for under the same
 * number, which it usually has because the library closes the old socket first; if it is not there,
 * the session has none from then on.
 *
 * A socket owner stands for a session. Only the thread of this session uses it, or the thread that
 * cuts a reply for it. Invariant: no two owners of the same struct socket_owners have the same
 * socket.
 */

/* All socket owners of the process. */
struct socket_owners {
    pthread_mutex_t mutex;
    struct socket_owner *first;
    uint64_t searched_ns; /* duration of all searches since one last found a socket */
};

struct socket_owner {
    struct socket_owners *owners;
    struct socket_owner *next;
    int descriptor;  /* the library's socket, or -1 */
    uint64_t cookie; /* of that socket when it was last confirmed, or 0 */
};

void socket_owners_init(struct socket_owners *owners);

/* To be called when every owner has been dropped. */
void socket_owners_deinit(struct socket_owners *owners);

/* An owner without a socket, which socket_owner_find puts on the list of `owners`. */
void socket_owner_init(struct socket_owner *socket_owner, struct socket_owners *owners);

/* Waits for the socket that the library opens after socket_info_look; it appears at once unless no
 * server listens. Waits two seconds at most, or 20 ms if earlier searches have waited that long in
 * vain. One search at a time. */
void socket_owner_find(struct socket_owner *socket_owner, const struct socket_info_search *search);

/* To be called when a connection stands. Looks whether its socket is under the known descriptor. */
void socket_owner_confirm(struct socket_owner *socket_owner);

/* Whether the connection that was last confirmed still stands. */
bool socket_owner_stands(const struct socket_owner *socket_owner);

/* Forgets the socket, and closes nothing. May be called more than once. */
void socket_owner_drop(struct socket_owner *socket_owner);

/*
 * The loss of a connection at a chosen moment: another socket is put under the library's
 * descriptor. What has arrived by then cannot be read any more, not even by a thread of the library
 * that is about to. Nothing here reads a byte that the library may still read.
 */

/* What has arrived and is unread. */
enum drop_connection_view {
    DROP_CONNECTION_NOTHING, /* not even one whole message */
    DROP_CONNECTION_REPLY, /* among others, the reply to a request: the server has carried it out */
    DROP_CONNECTION_OTHER, /* whole messages, and none of them a reply; or the connection's end */
};

/* Looks at a connection on which at most one request is outstanding. */
enum drop_connection_view drop_connection_look(int descriptor);

/* From now on what arrives (up to some megabytes) wakes no thread that polls the connection. */
void drop_connection_hold(int descriptor);

/*
 * Ends the connection as the end of its process would, and puts another socket under its
 * descriptor. With other_end NULL the library finds that its connection has ended. Else it finds an
 * idle connection, which takes what it sends; *other_end is the caller's to close, after the
 * library's handle. Before that, sends `length` bytes of the caller's (0: none), which still reach
 * the server: the library may hold no unsent ones. False, with nothing done, if the system allows
 * no more descriptors, or the connection does not take these bytes.
 *
 * The connection must stand: the number of a descriptor that the library has closed may be that of
 * another socket. A thread that is reading or writing at this moment, not polling, may find the
 * connection ended in spite of other_end, and begin to connect again.
 */
bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end);

/* Reads and drops what has arrived. True if the connection has ended. */
bool drop_connection_drain(int descriptor);

/* To be called right before the library closes its handle: the idle connection takes no more bytes,
 * so that the library's request to close the session fails at once. */
void drop_connection_end(int other_end);

/* ------------------------------------------------------------------ a session on the event loop */

/*
 * One handle of the single-threaded build. event_loop.c owns the epoll descriptor, and decides when
 * the session is driven. Invariant: `descriptor` is the library's socket, or -1 when it has none;
 * the library may close and open its socket whenever it is driven.
 */

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

/* ------------------------------------------------------------------ the mailbox of a thread */

/*
 * Messages of other threads to a session's thread, in their order. The thread that takes the
 * letters is the mailbox's owner. While the owner is busy, inside a call that may take long, it
 * takes no letters. To post to a full mailbox waits for room. Invariant: no letter is dropped
 * before the mailbox is closed, except by mailbox_keep_orders. Nothing is allocated.
 */

#define MAILBOX_LETTERS_MAX 8

enum letter_kind { LETTER_STATE, LETTER_EVENT, LETTER_ORDER, LETTER_REPLY, LETTER_AUTHENTICATED };

struct letter {
    enum letter_kind kind;
    int value; /* enum client_state, enum client_event, the order, or the library's code */
    char path[REQUEST_COPY_PATH_MAX];
    struct client_reply *reply; /* LETTER_REPLY: the poster's, until mailbox_reply_read */
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy;
    bool reply_posted, reply_taken; /* and unread */
    bool orders_only;
    bool closed;
    size_t first, count;
    struct letter letters[MAILBOX_LETTERS_MAX];
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_deinit(struct mailbox *mailbox);

/* For all threads. */

/* The path is shorter than REQUEST_COPY_PATH_MAX. */
void mailbox_post(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path);

/* Posts a letter without a path. If the owner is busy, calls `at_once` instead, on the caller's
 * thread; the owner stays busy until `at_once` has returned. */
void mailbox_post_or_call(struct mailbox *mailbox, enum letter_kind kind, int value,
                          void (*at_once)(void *context, int value), void *context);

/* Posts a reply, and waits until it was read or dropped: then it is the caller's again. For one
 * thread at a time. */
void mailbox_hand_over(struct mailbox *mailbox, struct client_reply *reply);

bool mailbox_is_busy(struct mailbox *mailbox);

/* From now on letters that are not orders are dropped, also those in the mailbox. A thread that
 * waits for room for one continues. */
void mailbox_keep_orders(struct mailbox *mailbox);

/* From now on all letters are dropped, also those in the mailbox. */
void mailbox_close(struct mailbox *mailbox);

/* For the owner. */

enum mailbox_news { MAILBOX_LETTER, MAILBOX_EMPTY, MAILBOX_CLOSED };

/* Takes the next letter, without waiting. If there is none and the owner has other work, the owner
 * is busy from now on. */
enum mailbox_news mailbox_take(struct mailbox *mailbox, bool has_to_do, struct letter *letter);

/* The owner has read the reply that it took last. */
void mailbox_reply_read(struct mailbox *mailbox);

/* The owner is busy no longer. False if the mailbox is closed. */
bool mailbox_return(struct mailbox *mailbox);

/* Waits for a letter or the closing, until `until_ns` of the monotonic clock; 0: for ever. */
void mailbox_await(struct mailbox *mailbox, uint64_t until_ns);

/* ------------------------------------------------------------------ sessions with a thread each */

struct thread_sessions;
struct thread_session_hooks;

/* As thread_sessions_new (client/thread_sessions.h), with a library that is loaded. */
MUST_CHECK enum error_kind thread_sessions_new_with(const struct library *library, size_t capacity,
                                                    const struct thread_session_hooks *hooks,
                                                    struct thread_sessions **sessions,
                                                    struct error *error);

#endif
