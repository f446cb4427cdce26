// SPDX-License-Identifier: Apache-2.0
#include "client/event_loop.h"

#include "base/clock.h"
#include "client/library.h"
#include "client/sockets.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often passed deadlines are looked for: those of pings and reconnects come after seconds. */
#define SWEEP_NS    (25 * NS_PER_MS)
#define BATCH       512
#define WATCHED_MAX 4

/* One handle of the single-threaded build. Invariant: `descriptor` is the library's socket, or -1
 * when it has none; the library may close and open its socket whenever it is driven. */
struct session {
    struct handle handle; /* first: a pointer to its client is one to the session */
    struct event_loop *events;
    int descriptor;
    uint64_t connection;   /* number of the present connection, from 1 */
    uint32_t epoll_events; /* what the library waits for: EPOLLIN, EPOLLOUT */
    uint64_t deadline_ns;  /* when the library must be driven at the latest */
    size_t close_sent;     /* of the close request, in bytes */
    bool cutting;          /* the reply to the outstanding operation is to be lost */
    bool crashed;          /* the library is not driven any more */
    int other_end;         /* crashed: the peer of the socket that the library takes for its own */
    bool driven;           /* process() is calling the library */
    bool unpushed;         /* requests are corked, which process() pushes */
    /* It was given a request since it was driven last, and is on the loop's list; the loop
     * refreshes it when it takes it off the list. */
    bool neglected;
    struct session *next_neglected;
};

struct watched {
    int descriptor; /* -1: the place is free */
    void (*ready)(void *context);
    void *context;
};

struct event_loop {
    struct library library;
    int epoll;
    uint64_t next_sweep_ns;
    size_t capacity;
    size_t count;
    struct session *neglected;
    struct watched watched[WATCHED_MAX];
    struct epoll_event batch[BATCH];
    struct session sessions[];
};

/* The source of an event: a session's index, or `capacity` and that of a watched descriptor. */
static void epoll_set(struct session *session, uint32_t interest)
{
    size_t source = (size_t)(session - session->events->sessions);
    struct epoll_event event = {.events = interest, .data = {.u64 = source}};
    int epoll = session->events->epoll;
    /* epoll has forgotten the number of a socket that the library has reopened. */
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, session->descriptor, &event) != 0 && errno == ENOENT)
        epoll_ctl(epoll, EPOLL_CTL_ADD, session->descriptor, &event);
}

/* The library sends a request in two writes, its length and its body, and sets TCP_NODELAY: two
 * segments, each of which costs the kernel as much. Corked, they leave as one, as from the Java
 * client; TCP_NODELAY sends what is corked (tcp(7)), the kernel the rest, pings, after 200 ms. */
static void set_tcp(const struct session *session, int option)
{
    const int yes = 1;
    setsockopt(session->descriptor, IPPROTO_TCP, option, &yes, sizeof yes);
}

/* ------------------------------------------------------------------ callbacks of the library */

static struct session *of_client(struct client *client)
{
    return (struct session *)client;
}

static void state_changed(struct handle *handle, enum client_state state)
{
    struct session *session = of_client(&handle->client);
    struct client *client = &handle->client;
    if (client->silent)
        return;
    if (state == CLIENT_ESTABLISHED) {
        session->connection++;
        set_tcp(session, TCP_CORK);
        if (handle->unanswered)
            return;
    }
    client->listener->state_changed(client->owner, state);
}

static void notified(struct handle *handle, enum client_event event, const char *path)
{
    if (!handle->client.silent)
        handle->client.listener->notified(handle->client.owner, event, path);
}

/* Established only now: the servers count the credentials' packet before the first request. */
static void authenticated(struct handle *handle, bool accepted)
{
    struct client *client = &handle->client;
    handle->unanswered = false;
    if (accepted && !client->silent)
        client->listener->state_changed(client->owner, CLIENT_ESTABLISHED);
}

static const struct handle_events handle_events = {state_changed, notified, authenticated};

/* ------------------------------------------------------------------ driving the library */

static int state_of(const struct session *session)
{
    return session->handle.library->state(session->handle.zk);
}

static bool has_connection(const struct session *session)
{
    return session->descriptor >= 0 &&
           state_of(session) == session->handle.library->connected_state;
}

/* The library takes a session that crashed or left for connected. */
static bool is_connected(const struct session *session)
{
    return !session->handle.client.silent && has_connection(session);
}

/* Has the library connect, ping or give the connection up if due, and asks what it waits for. Its
 * last call returned `code`: after an error, and while it connects, its socket may be a new one. */
static void refresh(struct session *session, int code)
{
    const struct library *library = session->handle.library;
    int descriptor = -1, interest = 0;
    struct timeval wait = {0};
    if (session->crashed)
        return;
    bool may_be_new = code != ZOK && code != ZNOTHING;
    code = library->interest(session->handle.zk, &descriptor, &interest, &wait);
    if (code != ZOK)
        descriptor = -1;
    may_be_new = may_be_new || descriptor != session->descriptor ||
                 state_of(session) != library->connected_state;
    uint32_t epoll_events = ((interest & library->wants_read) ? (uint32_t)EPOLLIN : 0u) |
                            ((interest & library->wants_write) ? (uint32_t)EPOLLOUT : 0u);
    bool is_changed = may_be_new || epoll_events != session->epoll_events;
    session->descriptor = descriptor;
    session->epoll_events = epoll_events;
    session->deadline_ns = code == ZINVALIDSTATE
                               ? UINT64_MAX /* expired */
                               : clock_now_ns() + (uint64_t)wait.tv_sec * NS_PER_S +
                                     (uint64_t)wait.tv_usec * NS_PER_US;
    if (is_changed && descriptor >= 0)
        epoll_set(session, epoll_events);
}

static void refresh_neglected(struct event_loop *events)
{
    while (events->neglected != NULL) {
        struct session *session = events->neglected;
        events->neglected = session->next_neglected;
        session->neglected = false;
        refresh(session, ZOK);
    }
}

/* While a reply is to be lost: which of epoll's events the library may handle. It reads one message
 * at a time, so it reads none that was not looked at. */
static uint32_t hold_back(const struct session *session, uint32_t epoll_events)
{
    switch (drop_connection_peek(session->descriptor)) {
    case DROP_CONNECTION_REPLY:
        if (drop_connection_off(session->descriptor, NULL, 0, NULL))
            return epoll_events;
        break; /* there are no descriptors: the next event tries again */
    case DROP_CONNECTION_OTHER:
        return epoll_events;
    case DROP_CONNECTION_NOTHING:
        break;
    }
    return epoll_events & (uint32_t)EPOLLOUT;
}

/* Requests of a session with a depth of one leave one by one, at once. */
static bool is_deep(const struct session *session)
{
    return session->handle.client.depth > 1;
}

/* Has the library read what has arrived, a message in a call. Returns the last call's code. */
static int call_process(const struct session *session, int events)
{
    const struct library *library = session->handle.library;
    int code = library->process(session->handle.zk, events);
    if (!is_deep(session) || (events & library->wants_read) == 0)
        return code;
    for (int count = 1; code == ZOK && count < EVENT_LOOP_MESSAGES_MAX &&
                        session->handle.client.outstanding > 0 && is_connected(session);
         count++)
        code = library->process(session->handle.zk, library->wants_read);
    return code;
}

static void process(struct session *session, uint32_t epoll_events)
{
    const struct library *library = session->handle.library;
    int events = 0;
    if (session->crashed)
        return;
    if (session->cutting && session->handle.client.outstanding > 0)
        epoll_events = hold_back(session, epoll_events);
    if (epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        events |= library->wants_read;
    if (epoll_events & EPOLLOUT)
        events |= library->wants_write;
    /* While it connects, the library reads the socket's error only if the socket is writable. */
    if ((epoll_events & (EPOLLERR | EPOLLHUP)) && state_of(session) == library->connecting_state)
        events |= library->wants_write;
    session->driven = true;
    int code = call_process(session, events);
    session->driven = false;
    if ((session->unpushed || (epoll_events & EPOLLOUT)) && has_connection(session))
        set_tcp(session, TCP_NODELAY);
    session->unpushed = false;
    refresh(session, code);
}

/* ------------------------------------------------------------------ the operations */

/* The loop delivers the reply to a request that the library does not take, never this call. What
 * the socket does not take at once, the library sends when it is driven; so the loop must refresh
 * the session, unless the library calls, which is refreshed afterwards. */
static void submit(struct client *client, const struct request *request)
{
    struct session *session = of_client(client);
    session->cutting = false;
    int code = handle_submit(&session->handle, request);
    if (code != ZOK)
        client_refuse(client, library_status(code));
    else if (session->driven && is_deep(session))
        session->unpushed = true;
    else
        set_tcp(session, TCP_NODELAY);
    if (!session->driven && !session->neglected) {
        session->neglected = true;
        session->next_neglected = session->events->neglected;
        session->events->neglected = session;
    }
}

static bool cut(struct client *client)
{
    struct session *session = of_client(client);
    session->cutting = is_connected(session);
    return session->cutting;
}

static bool end_connection(struct session *session, const void *last, size_t length)
{
    if (!is_connected(session) ||
        !drop_connection_off(session->descriptor, last, length, &session->other_end))
        return false;
    session->handle.client.silent = session->crashed = true;
    session->deadline_ns = UINT64_MAX;
    return true;
}

static bool crash(struct client *client)
{
    return end_connection(of_client(client), NULL, 0);
}

/* RequestHeader of the protocol: length, xid (any: its reply is not read), OpCode.closeSession. */
static const uint8_t close_request[] = {0, 0, 0, 8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf5};

/* Nothing is outstanding, but while the library holds unsent bytes, it waits for EPOLLOUT. */
static bool leave(struct client *client)
{
    struct session *session = of_client(client);
    return (session->epoll_events & EPOLLOUT) == 0 &&
           end_connection(session, close_request, sizeof close_request);
}

/* A library that is not connected may have closed its socket, whose number may be another's. */
static bool bytes(const struct client *client, struct client_bytes *bytes)
{
    const struct session *session = (const struct session *)client;
    if (!is_connected(session) ||
        !socket_info_bytes(session->descriptor, &bytes->sent_bytes, &bytes->received_bytes))
        return false;
    bytes->connection = session->connection;
    return true;
}

static size_t unread(const struct client *client)
{
    const struct session *session = (const struct session *)client;
    return is_connected(session) ? socket_info_unread(session->descriptor) : 0;
}

static const struct client_driver driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = handle_timeout_ms,
    .session_id = handle_session_id,
    .server = handle_server,
};

/* ------------------------------------------------------------------ the loop */

enum error_kind event_loop_new(size_t capacity, const struct identity *identity,
                               struct event_loop **events, struct error *error)
{
    struct event_loop *made = calloc(1, sizeof *made + capacity * sizeof made->sessions[0]);
    if (made == NULL)
        return error_from_errno(error, ENOMEM, "event loop", "for %zu sessions", capacity);
    made->capacity = capacity;
    for (size_t i = 0; i < WATCHED_MAX; i++)
        made->watched[i].descriptor = -1;
    enum error_kind kind = library_load(LIBRARY_ST, identity, &made->library, error);
    if (kind == ERROR_NONE && (made->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        kind = error_from_errno(error, errno, "event loop", "epoll_create1");
    if (kind == ERROR_NONE)
        *events = made;
    else
        free(made);
    return kind;
}

enum error_kind event_loop_open(struct event_loop *events, const char *hosts,
                                uint32_t session_timeout_ms, uint32_t depth,
                                const struct client_listener *listener, void *owner,
                                struct client **client, struct error *error)
{
    assert(events->count < events->capacity);
    struct session *session = &events->sessions[events->count];
    *session = (struct session){
        .handle.client = {.driver = &driver, .listener = listener, .owner = owner},
        .events = events,
        .descriptor = -1,
        .other_end = -1,
    };
    *client = &session->handle.client;
    enum error_kind kind = client_init(*client, depth, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = handle_open(&session->handle, &events->library, &handle_events, hosts,
                       session_timeout_ms, error);
    if (kind != ERROR_NONE) {
        client_deinit(*client);
        return kind;
    }
    events->count++;
    refresh(session, ZOK);
    return ERROR_NONE;
}

/* Frees the handle, and ends its connection. Sends nothing and waits for nothing. */
static void deinit(struct session *session)
{
    const struct library *library = session->handle.library;
    session->handle.client.silent = true;
    if (session->descriptor >= 0) {
        /* To close a connected handle the library waits for up to 4.5 s; so it is shown the end of
         * its connection first. A reply to the close request would make it end the process. */
        shutdown(session->descriptor, SHUT_RDWR);
        drop_connection_drain(session->descriptor);
        library->process(session->handle.zk, library->wants_read);
    }
    library->close(session->handle.zk);
    client_deinit(&session->handle.client);
    if (session->other_end >= 0)
        close(session->other_end);
}

void event_loop_forget(struct event_loop *events)
{
    assert(events->count > 0);
    refresh_neglected(events);
    deinit(&events->sessions[--events->count]);
}

static struct watched *find_watched(struct event_loop *events, int descriptor)
{
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        if (events->watched[i].descriptor == descriptor)
            return &events->watched[i];
    }
    return NULL;
}

enum error_kind event_loop_watch(struct event_loop *events, int descriptor,
                                 void (*ready)(void *context), void *context, struct error *error)
{
    struct watched *place = find_watched(events, -1);
    if (place == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "event loop", "all watches are taken");
    size_t source = events->capacity + (size_t)(place - events->watched);
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = source}};
    if (epoll_ctl(events->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        return error_from_errno(error, errno, "event loop", "epoll_ctl");
    *place = (struct watched){descriptor, ready, context};
    return ERROR_NONE;
}

void event_loop_unwatch(struct event_loop *events, int descriptor)
{
    struct watched *watched = find_watched(events, descriptor);
    if (descriptor < 0 || watched == NULL)
        return;
    epoll_ctl(events->epoll, EPOLL_CTL_DEL, descriptor, NULL);
    watched->descriptor = -1;
}

static void dispatch(struct event_loop *events, const struct epoll_event *event)
{
    size_t source = (size_t)event->data.u64;
    if (source < events->capacity) {
        process(&events->sessions[source], event->events);
        return;
    }
    const struct watched *watched = &events->watched[source - events->capacity];
    if (watched->descriptor >= 0)
        watched->ready(watched->context);
}

enum error_kind event_loop_poll(struct event_loop *events, uint64_t until_ns, struct error *error)
{
    refresh_neglected(events);
    if (events->count > 0 && events->next_sweep_ns < until_ns)
        until_ns = events->next_sweep_ns;
    int ready = epoll_wait(events->epoll, events->batch, BATCH, clock_left_ms(until_ns));
    if (ready < 0 && errno != EINTR)
        return error_from_errno(error, errno, "event loop", "epoll_wait");
    for (int i = 0; i < ready; i++)
        dispatch(events, &events->batch[i]);
    uint64_t now_ns = clock_now_ns();
    if (now_ns < events->next_sweep_ns)
        return ERROR_NONE;
    events->next_sweep_ns = now_ns + SWEEP_NS;
    for (size_t i = 0; i < events->count; i++) {
        client_deliver_refused(&events->sessions[i].handle.client);
        if (now_ns >= events->sessions[i].deadline_ns)
            refresh(&events->sessions[i], ZOK);
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the end */

/* Has the library send what it holds; false if the socket does not take all, or is lost. */
static bool flush(struct session *session)
{
    const struct library *library = session->handle.library;
    refresh(session, ZOK);
    if (has_connection(session) && (session->epoll_events & EPOLLOUT) != 0) {
        if (library->process(session->handle.zk, library->wants_write) != ZOK)
            session->descriptor = -1;
        else
            refresh(session, ZOK);
    }
    return has_connection(session) && (session->epoll_events & EPOLLOUT) == 0;
}

static bool has_asked(const struct session *session)
{
    return session->close_sent == sizeof close_request;
}

/* Continues to close a session without waiting: has the library send what it still holds, and then
 * sends a close request, past the library, behind a whole message. To be called again when a socket
 * that is full takes more. False if no server will confirm it: the session ends at its timeout.
 * From the first call on no callback is called, and the caller reads the socket. */
static bool go_on_closing(struct session *session)
{
    session->handle.client.silent = true;
    if (!session->crashed && has_connection(session) &&
        (session->close_sent > 0 || flush(session))) {
        ssize_t sent =
            send(session->descriptor, close_request + session->close_sent,
                 sizeof close_request - session->close_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        session->close_sent += sent > 0 ? (size_t)sent : 0;
        set_tcp(session, TCP_NODELAY);
    }
    if (!session->crashed && has_connection(session)) {
        epoll_set(session, EPOLLIN | (has_asked(session) ? 0u : (uint32_t)EPOLLOUT));
        return true;
    }
    if (session->descriptor >= 0)
        epoll_ctl(session->events->epoll, EPOLL_CTL_DEL, session->descriptor, NULL);
    return false;
}

/* Waits for the servers of `waiting` sessions; returns how many of them are closed. */
static size_t await_closed(struct event_loop *events, size_t waiting, uint64_t until_ns)
{
    size_t confirmed = 0;
    while (waiting > 0 && clock_now_ns() < until_ns) {
        int ready = epoll_wait(events->epoll, events->batch, BATCH, clock_left_ms(until_ns));
        for (int i = 0; i < ready; i++) {
            struct session *session = &events->sessions[events->batch[i].data.u64];
            if (drop_connection_drain(session->descriptor)) {
                epoll_ctl(events->epoll, EPOLL_CTL_DEL, session->descriptor, NULL);
                waiting--;
                confirmed += has_asked(session);
            } else if (events->batch[i].events & EPOLLOUT) {
                waiting -= !go_on_closing(session);
            }
        }
    }
    return confirmed;
}

size_t event_loop_close(struct event_loop *events, uint64_t until_ns)
{
    size_t waiting = 0, due = 0;
    for (size_t i = 0; i < WATCHED_MAX; i++)
        event_loop_unwatch(events, events->watched[i].descriptor);
    for (size_t i = 0; i < events->count; i++) {
        due += !events->sessions[i].crashed;
        waiting += go_on_closing(&events->sessions[i]);
    }
    due -= await_closed(events, waiting, until_ns);
    for (size_t i = 0; i < events->count; i++)
        deinit(&events->sessions[i]);
    events->count = 0;
    events->neglected = NULL;
    return due;
}

void event_loop_free(struct event_loop *events)
{
    if (events == NULL)
        return;
    event_loop_close(events, clock_now_ns() + NS_PER_S);
    close(events->epoll);
    free(events);
}

void event_loop_abandon(struct event_loop *events)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->sessions[i].descriptor >= 0)
            close(events->sessions[i].descriptor);
    }
    close(events->epoll);
}
