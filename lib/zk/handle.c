// SPDX-License-Identifier: Apache-2.0
#include "zk/handle.h"

#include "base/clock.h"
#include "zk/connection.h"
#include "zk/cut.h"
#include "zk/translate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ------------------------------------------------------------------ what the library tells us */

/*
 * The library sends a request in two writes, its length and its body, and sets TCP_NODELAY: two
 * segments, each of which the kernel carries to the other end at the sender's expense. Corked, they
 * leave as one segment, as the Java client sends them; setting TCP_NODELAY pushes out what is
 * corked (tcp(7)). What nobody pushes, pings, the kernel sends after 200 ms.
 */
static void cork(const struct handle *handle)
{
    const int yes = 1;
    setsockopt(handle->descriptor, IPPROTO_TCP, TCP_CORK, &yes, sizeof yes);
}

static void push(const struct handle *handle)
{
    const int yes = 1;
    setsockopt(handle->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* The handle's own watcher serves all its watches: one callback for each message of the server. A
 * session event would go to every watcher there is, so it must not be taken for a notification. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct handle *handle = context;
    struct client *client = &handle->client;
    if (handle->closing)
        return;
    const struct library *library = handle->library;
    if (type == library->session_event) {
        if (state == library->connected_state)
            cork(handle);
        client->listener->state_changed(client->owner, translate_state(library, state));
    } else {
        client->listener->notified(client->owner, translate_event(library, type), path);
    }
}

/* The library passes completions a const pointer to what is ours and not const at all. */
static struct handle *handle_of(const void *data)
{
    union {
        const void *given;
        struct handle *handle;
    } pointer = {data};
    return pointer.handle;
}

static void deliver(const void *data, struct client_reply reply)
{
    struct handle *handle = handle_of(data);
    handle->cutting = false;
    if (!handle->closing)
        client_deliver_reply(&handle->client, &reply);
}

static void completed_create(int code, const char *path, const void *data)
{
    deliver(data, translate_created(code, path));
}

static void completed_stat(int code, const struct Stat *stat, const void *data)
{
    deliver(data, translate_stat(code, stat));
}

static void completed_data(int code, const char *value, int length, const struct Stat *stat,
                           const void *data)
{
    deliver(data, translate_data(code, value, length, stat));
}

static void completed_names(int code, const struct String_vector *names, const void *data)
{
    deliver(data, translate_names(code, names));
}

static void completed_void(int code, const void *data)
{
    deliver(data, (struct client_reply){.status = translate_status(code)});
}

/* ------------------------------------------------------------------ the operations */

static struct handle *of_client(struct client *client)
{
    return (struct handle *)client;
}

static int call_multi(struct handle *handle, const struct client_request *request)
{
    zoo_op_t ops[CLIENT_PARTS_MAX];
    translate_parts(handle->library, request, ops);
    return handle->library->amulti(handle->zk, (int)request->part_count, ops, handle->results,
                                   completed_void, handle);
}

static int call(struct handle *handle, const struct client_request *request)
{
    const struct library *library = handle->library;
    zhandle_t *zk = handle->zk;
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    switch (request->operation) {
    case CLIENT_CREATE:
        return library->acreate(zk, path, translate_value(request), length, library->open_acl,
                                translate_mode(request->mode), completed_create, handle);
    case CLIENT_EXISTS:
        return library->aexists(zk, path, watch, completed_stat, handle);
    case CLIENT_GET:
        return library->aget(zk, path, watch, completed_data, handle);
    case CLIENT_GET_CHILDREN:
        return library->aget_children(zk, path, watch, completed_names, handle);
    case CLIENT_SET:
        return library->aset(zk, path, translate_value(request), length, request->version,
                             completed_stat, handle);
    case CLIENT_DELETE:
        return library->adelete(zk, path, request->version, completed_void, handle);
    case CLIENT_MULTI:
        return call_multi(handle, request);
    case CLIENT_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

/* A request that the library does not take gets its reply from the loop: never from inside the
 * call. */
static void submit(struct client *client, const struct client_request *request)
{
    struct handle *handle = of_client(client);
    int code = call(handle, request);
    if (code == ZOK) {
        push(handle);
        return;
    }
    handle->has_deferred = true;
    handle->deferred = translate_status(code);
}

static bool is_connected(const struct handle *handle)
{
    return handle->descriptor >= 0 &&
           handle->library->state(handle->zk) == handle->library->connected_state;
}

static bool cut(struct client *client)
{
    struct handle *handle = of_client(client);
    handle->cutting = is_connected(handle);
    return handle->cutting;
}

static bool crash(struct client *client)
{
    struct handle *handle = of_client(client);
    if (!is_connected(handle) || !cut_off(handle->descriptor, &handle->other_end))
        return false;
    handle->closing = handle->crashed = true;
    handle->has_deferred = false;
    handle_refresh(handle);
    return true;
}

/* The kernel still delivers what was sent before the connection ended. */
static bool leave(struct client *client)
{
    return handle_begin_close(of_client(client)) && crash(client);
}

static uint64_t now_ns(const struct client *client)
{
    (void)client;
    return clock_now_ns();
}

static bool bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    const struct handle *handle = (const struct handle *)client;
    return connection_bytes(handle->descriptor, sent_bytes, received_bytes);
}

static size_t unread(const struct client *client)
{
    return connection_unread(((const struct handle *)client)->descriptor);
}

static uint32_t timeout_ms(const struct client *client)
{
    const struct handle *handle = (const struct handle *)client;
    return (uint32_t)handle->library->recv_timeout(handle->zk);
}

static int64_t session_id(const struct client *client)
{
    const struct handle *handle = (const struct handle *)client;
    return handle->library->client_id(handle->zk)->client_id;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct handle *handle = (const struct handle *)client;
    library_server(handle->library, handle->zk, text, size);
}

const struct client_driver handle_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .now_ns = now_ns,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = timeout_ms,
    .session_id = session_id,
    .server = server,
};

/* ------------------------------------------------------------------ driving the library */

enum fault_kind handle_init(struct handle *handle, const struct library *library, const char *hosts,
                            uint32_t session_timeout_ms, const struct client_listener *listener,
                            void *owner, struct fault *fault)
{
    *handle = (struct handle){
        .client = {.driver = &handle_driver, .listener = listener, .owner = owner},
        .library = library,
        .descriptor = -1,
        .other_end = -1,
    };
    return library_open(library, hosts, watcher, session_timeout_ms, handle, &handle->zk, fault);
}

/* The reply to a close request that went past the library may be among what has come: one that it
 * does not expect, it ends the process for. */
static void drain(int descriptor)
{
    char unread[4096];
    while (recv(descriptor, unread, sizeof unread, MSG_DONTWAIT) > 0)
        ;
}

void handle_deinit(struct handle *handle)
{
    if (handle->zk == NULL)
        return;
    handle->closing = true;
    if (handle->descriptor >= 0) {
        /* The library closes a connected handle with up to 4.5 s of waiting. It learns here that
         * its connection has ended, and then frees without a word. */
        shutdown(handle->descriptor, SHUT_RDWR);
        drain(handle->descriptor);
        handle->library->process(handle->zk, handle->library->wants_read);
    }
    handle->library->close(handle->zk);
    if (handle->other_end >= 0)
        close(handle->other_end);
    *handle = (struct handle){.descriptor = -1, .other_end = -1};
}

/* A reply that is to be lost: what of epoll's news the library may hear. It reads one message at a
 * time, so nothing is read here that was not looked at. */
static uint32_t hold_back(const struct handle *handle, uint32_t epoll_events)
{
    switch (cut_look(handle->descriptor)) {
    case CUT_REPLY:
        if (cut_off(handle->descriptor, NULL))
            return epoll_events;
        break; /* until there are descriptors, or the library gives the connection up */
    case CUT_OTHER:
        return epoll_events;
    case CUT_NOTHING:
        break;
    }
    return epoll_events & (uint32_t)EPOLLOUT;
}

void handle_process(struct handle *handle, uint32_t epoll_events)
{
    int events = 0;
    if (handle->crashed)
        return;
    if (handle->cutting)
        epoll_events = hold_back(handle, epoll_events);
    if (epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        events |= handle->library->wants_read;
    if (epoll_events & EPOLLOUT)
        events |= handle->library->wants_write;
    /* While it connects, the library asks for the socket's error only when it may write. */
    if ((epoll_events & (EPOLLERR | EPOLLHUP)) &&
        handle->library->state(handle->zk) == handle->library->connecting_state)
        events |= handle->library->wants_write;
    int code = handle->library->process(handle->zk, events);
    if (code != ZOK && code != ZNOTHING)
        handle->reopened = true;
    handle_refresh(handle);
}

void handle_refresh(struct handle *handle)
{
    if (handle->crashed) {
        handle->reopened = false;
        handle->deadline_ns = UINT64_MAX;
        return;
    }
    int descriptor = -1, interest = 0;
    struct timeval wait = {0};
    int code = handle->library->interest(handle->zk, &descriptor, &interest, &wait);
    if (code != ZOK)
        descriptor = -1;
    if (descriptor != handle->descriptor ||
        handle->library->state(handle->zk) != handle->library->connected_state)
        handle->reopened = true;
    handle->descriptor = descriptor;
    handle->epoll_events = ((interest & handle->library->wants_read) ? (uint32_t)EPOLLIN : 0u) |
                           ((interest & handle->library->wants_write) ? (uint32_t)EPOLLOUT : 0u);
    handle->deadline_ns = code == ZINVALIDSTATE
                              ? UINT64_MAX /* expired: nothing will ever happen here */
                              : clock_now_ns() + (uint64_t)wait.tv_sec * NS_PER_S +
                                    (uint64_t)wait.tv_usec * NS_PER_US;
}

void handle_deliver_deferred(struct handle *handle)
{
    if (!handle->has_deferred)
        return;
    handle->has_deferred = handle->cutting = false;
    struct client_reply reply = {.status = handle->deferred};
    client_deliver_reply(&handle->client, &reply);
}

/* ------------------------------------------------------------------ closing */

bool handle_begin_close(struct handle *handle)
{
    /* RequestHeader of ZooKeeper's protocol: length, xid (any; its reply is not looked at),
     * OpCode.closeSession. */
    const uint32_t request[] = {htonl(8), htonl(INT32_MAX), htonl((uint32_t)-11)};
    handle->closing = true;
    if (handle->crashed || !is_connected(handle))
        return false;
    bool sent = send(handle->descriptor, request, sizeof request, MSG_NOSIGNAL) == sizeof request;
    push(handle);
    return sent;
}
