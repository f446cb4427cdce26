// SPDX-License-Identifier: Apache-2.0
#include "client/event_session.h"
#include "client/sockets.h"

#include "base/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ------------------------------------------------------------------ callbacks of the library */

/*
 * The library sends a request in two writes, its length and its body, and sets TCP_NODELAY: two
 * segments, each of which costs the kernel as much. Corked, they leave as one segment, as the Java
 * client sends them; to set TCP_NODELAY sends what is corked (tcp(7)). The kernel sends the rest,
 * pings, after 200 ms.
 */
static void set_tcp(const struct event_session *session, int option)
{
    const int yes = 1;
    setsockopt(session->descriptor, IPPROTO_TCP, option, &yes, sizeof yes);
}

/* The watcher of the handle, and of all its watches: one call for each message of the server.
 * Session events come here too, and are no notifications. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct event_session *session = context;
    struct client *client = &session->client;
    if (client->silent)
        return;
    const struct library *library = session->library;
    if (type == library->session_event) {
        if (state == library->connected_state) {
            session->connection++;
            set_tcp(session, TCP_CORK);
            if (session->unanswered)
                return;
        }
        client->listener->state_changed(client->owner, calls_state(library, state));
    } else {
        client->listener->notified(client->owner, calls_event(library, type), path);
    }
}

/* The session stands from now on: the servers' counters have the packet of its credentials before
 * its first request. */
static void authenticated(int code, const void *context)
{
    struct event_session *session = calls_context(context);
    struct client *client = &session->client;
    session->unanswered = false;
    if (code == ZOK && !client->silent)
        client->listener->state_changed(client->owner, CLIENT_ESTABLISHED);
}

static void replied(void *owner, struct client_reply *reply)
{
    client_deliver_reply(owner, reply);
}

/* ------------------------------------------------------------------ the operations */

static struct event_session *of_client(struct client *client)
{
    return (struct event_session *)client;
}

/* Requests of a session with a depth of one leave one by one, at once. */
static bool is_deep(const struct event_session *session)
{
    return session->client.depth > 1;
}

/* The loop delivers the reply to a request that the library does not take, never this call. What
 * the socket does not take at once, the library sends when it is driven; so the loop must refresh
 * the session, unless the library calls, which is refreshed afterwards. */
static void submit(struct client *client, const struct request *request)
{
    struct event_session *session = of_client(client);
    session->cutting = false;
    int code = async_calls_call(&session->calls, request);
    if (code != ZOK)
        client_refuse(client, client_status_of(code));
    else if (session->driven && is_deep(session))
        session->unpushed = true;
    else
        set_tcp(session, TCP_NODELAY);
    if (!session->driven && !session->neglected && session->all_neglected != NULL) {
        session->neglected = true;
        session->next_neglected = *session->all_neglected;
        *session->all_neglected = session;
    }
}

static bool has_connection(const struct event_session *session)
{
    return session->descriptor >= 0 &&
           session->library->state(session->zk) == session->library->connected_state;
}

/* The library takes a session that crashed or left for connected. */
static bool is_connected(const struct event_session *session)
{
    return !session->client.silent && has_connection(session);
}

static bool cut(struct client *client)
{
    struct event_session *session = of_client(client);
    session->cutting = is_connected(session);
    return session->cutting;
}

static bool end_connection(struct event_session *session, const void *last, size_t length)
{
    if (!is_connected(session) ||
        !drop_connection_off(session->descriptor, last, length, &session->other_end))
        return false;
    session->client.silent = session->crashed = true;
    event_session_refresh(session);
    return true;
}

static bool crash(struct client *client)
{
    return end_connection(of_client(client), NULL, 0);
}

/* RequestHeader of ZooKeeper's protocol: length, xid (any; its reply is not looked at),
 * OpCode.closeSession. */
static const uint8_t close_request[] = {0, 0, 0, 8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf5};

/* Nothing is outstanding, but the library may hold unsent bytes of its own: then it waits for
 * EPOLLOUT. */
static bool leave(struct client *client)
{
    struct event_session *session = of_client(client);
    return (session->epoll_events & EPOLLOUT) == 0 &&
           end_connection(session, close_request, sizeof close_request);
}

/* A library that is not connected may have closed its socket, whose number may be another's. */
static bool bytes(const struct client *client, struct client_bytes *bytes)
{
    const struct event_session *session = (const struct event_session *)client;
    if (!is_connected(session) ||
        !socket_info_bytes(session->descriptor, &bytes->sent_bytes, &bytes->received_bytes))
        return false;
    bytes->connection = session->connection;
    return true;
}

static size_t unread(const struct client *client)
{
    const struct event_session *session = (const struct event_session *)client;
    return is_connected(session) ? socket_info_unread(session->descriptor) : 0;
}

static uint32_t timeout_ms(const struct client *client)
{
    const struct event_session *session = (const struct event_session *)client;
    return (uint32_t)session->library->recv_timeout(session->zk);
}

static int64_t session_id(const struct client *client)
{
    const struct event_session *session = (const struct event_session *)client;
    return session->library->client_id(session->zk)->client_id;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct event_session *session = (const struct event_session *)client;
    library_server(session->library, session->zk, text, size);
}

const struct client_driver event_session_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = timeout_ms,
    .session_id = session_id,
    .server = server,
};

/* ------------------------------------------------------------------ driving the library */

enum error_kind event_session_init(struct event_session *session, const struct library *library,
                                   const char *hosts, uint32_t session_timeout_ms, uint32_t depth,
                                   const struct client_listener *listener, void *owner,
                                   struct error *error)
{
    *session = (struct event_session){
        .client = {.driver = &event_session_driver, .listener = listener, .owner = owner},
        .library = library,
        .calls = {.library = library, .replied = replied, .owner = &session->client},
        .descriptor = -1,
        .unanswered = identity_is_known(library->identity),
        .other_end = -1,
    };
    enum error_kind kind = client_init(&session->client, depth, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = library_open(library, hosts, watcher, authenticated, session_timeout_ms, session,
                        &session->zk, error);
    if (kind != ERROR_NONE)
        client_deinit(&session->client);
    session->calls.zk = session->zk;
    return kind;
}

void event_session_deinit(struct event_session *session)
{
    if (session->zk == NULL)
        return;
    session->client.silent = true;
    if (session->descriptor >= 0) {
        /* To close a connected handle the library waits for up to 4.5 s; so it is shown the end of
         * its connection first. A reply to a request that was not its own, the close request, would
         * make it end the process. */
        shutdown(session->descriptor, SHUT_RDWR);
        drop_connection_drain(session->descriptor);
        session->library->process(session->zk, session->library->wants_read);
    }
    session->library->close(session->zk);
    client_deinit(&session->client);
    if (session->other_end >= 0)
        close(session->other_end);
    *session = (struct event_session){.descriptor = -1, .other_end = -1};
}

/* While a reply is to be lost: which of epoll's events the library may handle. It reads one message
 * at a time, so it reads none that was not looked at. */
static uint32_t hold_back(const struct event_session *session, uint32_t epoll_events)
{
    switch (drop_connection_look(session->descriptor)) {
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

/* Has the library read what has arrived behind a message (ZOK): it reads one in a call. Returns the
 * last call's code. */
static int process_more(const struct event_session *session, int code)
{
    for (int count = 1; code == ZOK && count < EVENT_SESSION_MESSAGES_MAX &&
                        session->client.outstanding > 0 && is_connected(session);
         count++)
        code = session->library->process(session->zk, session->library->wants_read);
    return code;
}

void event_session_process(struct event_session *session, uint32_t epoll_events)
{
    int events = 0;
    if (session->crashed)
        return;
    if (session->cutting && session->client.outstanding > 0)
        epoll_events = hold_back(session, epoll_events);
    if (epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        events |= session->library->wants_read;
    if (epoll_events & EPOLLOUT)
        events |= session->library->wants_write;
    /* While it connects, the library reads the socket's error only if the socket is writable. */
    if ((epoll_events & (EPOLLERR | EPOLLHUP)) &&
        session->library->state(session->zk) == session->library->connecting_state)
        events |= session->library->wants_write;
    session->driven = true;
    int code = session->library->process(session->zk, events);
    if (is_deep(session) && (events & session->library->wants_read))
        code = process_more(session, code);
    session->driven = false;
    if (code != ZOK && code != ZNOTHING)
        session->reopened = true;
    if ((session->unpushed || (epoll_events & EPOLLOUT)) && has_connection(session))
        set_tcp(session, TCP_NODELAY);
    session->unpushed = false;
    event_session_refresh(session);
}

void event_session_refresh(struct event_session *session)
{
    if (session->crashed) {
        session->reopened = false;
        session->deadline_ns = UINT64_MAX;
        return;
    }
    int descriptor = -1, interest = 0;
    struct timeval wait = {0};
    int code = session->library->interest(session->zk, &descriptor, &interest, &wait);
    if (code != ZOK)
        descriptor = -1;
    if (descriptor != session->descriptor ||
        session->library->state(session->zk) != session->library->connected_state)
        session->reopened = true;
    session->descriptor = descriptor;
    session->epoll_events = ((interest & session->library->wants_read) ? (uint32_t)EPOLLIN : 0u) |
                            ((interest & session->library->wants_write) ? (uint32_t)EPOLLOUT : 0u);
    session->deadline_ns = code == ZINVALIDSTATE
                               ? UINT64_MAX /* expired */
                               : clock_now_ns() + (uint64_t)wait.tv_sec * NS_PER_S +
                                     (uint64_t)wait.tv_usec * NS_PER_US;
}

/* ------------------------------------------------------------------ closing */

/* Has the library send what it still holds; false if the socket does not take all of it, or the
 * connection is lost. */
static bool flush(struct event_session *session)
{
    event_session_refresh(session);
    if (!has_connection(session) || (session->epoll_events & EPOLLOUT) == 0)
        return has_connection(session);
    if (session->library->process(session->zk, session->library->wants_write) != ZOK)
        session->descriptor = -1;
    if (!has_connection(session))
        return false;
    event_session_refresh(session);
    return has_connection(session) && (session->epoll_events & EPOLLOUT) == 0;
}

/* The close request must follow a whole message of the library. */
enum event_session_closing event_session_close(struct event_session *session)
{
    session->client.silent = true;
    if (session->crashed || !has_connection(session))
        return EVENT_SESSION_CUT_OFF;
    if (session->close_sent == 0 && !flush(session))
        return has_connection(session) ? EVENT_SESSION_BLOCKED : EVENT_SESSION_CUT_OFF;
    ssize_t sent = send(session->descriptor, close_request + session->close_sent,
                        sizeof close_request - session->close_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
        return errno == EAGAIN ? EVENT_SESSION_BLOCKED : EVENT_SESSION_CUT_OFF;
    session->close_sent += (size_t)sent;
    set_tcp(session, TCP_NODELAY);
    session->asked = session->close_sent == sizeof close_request;
    return session->asked ? EVENT_SESSION_ASKED : EVENT_SESSION_BLOCKED;
}
