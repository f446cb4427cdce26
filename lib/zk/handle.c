// SPDX-License-Identifier: Apache-2.0
#include "zk/handle.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

/* ------------------------------------------------------------------ what the library tells us */

static enum zk_status status_of(int code)
{
    switch (code) {
    case ZOK:
        return ZK_OK;
    case ZNONODE:
        return ZK_NO_NODE;
    case ZNODEEXISTS:
        return ZK_NODE_EXISTS;
    case ZNOTEMPTY:
        return ZK_NOT_EMPTY;
    case ZNOAUTH:
        return ZK_NO_AUTH;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZCLOSING:
        return ZK_CONNECTION_LOSS;
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
        return ZK_SESSION_EXPIRED;
    default:
        return ZK_OTHER_ERROR;
    }
}

static enum client_event event_of(int type)
{
    if (type == ZOO_CREATED_EVENT)
        return EVENT_CREATED;
    if (type == ZOO_DELETED_EVENT)
        return EVENT_DELETED;
    if (type == ZOO_CHANGED_EVENT)
        return EVENT_CHANGED;
    if (type == ZOO_CHILD_EVENT)
        return EVENT_CHILD;
    return EVENT_OTHER;
}

static enum client_state state_of(int state)
{
    if (state == ZOO_CONNECTED_STATE)
        return CLIENT_ESTABLISHED;
    if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE)
        return CLIENT_EXPIRED;
    return CLIENT_CONNECTING;
}

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
    if (type == ZOO_SESSION_EVENT) {
        if (state == ZOO_CONNECTED_STATE)
            cork(handle);
        client->listener->state_changed(client->owner, state_of(state));
    } else {
        client->listener->notified(client->owner, event_of(type), path);
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

static void deliver(const void *data, int code, struct client_reply reply)
{
    struct handle *handle = handle_of(data);
    if (handle->closing)
        return;
    reply.status = status_of(code);
    client_deliver_reply(&handle->client, &reply);
}

static void completed_create(int code, const char *path, const void *data)
{
    deliver(data, code, (struct client_reply){.path = path});
}

static void completed_stat(int code, const struct Stat *stat, const void *data)
{
    (void)stat;
    deliver(data, code, (struct client_reply){0});
}

static void completed_data(int code, const char *value, int length, const struct Stat *stat,
                           const void *data)
{
    (void)stat;
    size_t value_length = length > 0 ? (size_t)length : 0;
    deliver(data, code, (struct client_reply){.value = value, .value_length = value_length});
}

static void completed_names(int code, const struct String_vector *names, const void *data)
{
    struct client_reply reply = {0};
    if (code == ZOK && names != NULL) {
        reply.names = (const char *const *)names->data;
        reply.name_count = (size_t)names->count;
    }
    deliver(data, code, reply);
}

static void completed_void(int code, const void *data)
{
    deliver(data, code, (struct client_reply){0});
}

/* ------------------------------------------------------------------ the operations */

/* A request that the library does not take gets its reply from the loop: never from inside the
 * call. */
static void submitted(struct handle *handle, int code)
{
    if (code == ZOK) {
        push(handle);
        return;
    }
    handle->has_deferred = true;
    handle->deferred = status_of(code);
}

static struct handle *of_client(struct client *client)
{
    return (struct handle *)client;
}

static void submit_create(struct client *client, const char *path, enum create_mode mode)
{
    static const int flags_of_mode[] = {
        [PERSISTENT] = 0, [EPHEMERAL] = 1, [EPHEMERAL_SEQUENTIAL] = 3};
    struct handle *handle = of_client(client);
    submitted(handle, zoo_acreate(handle->zk, path, "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                  flags_of_mode[mode], completed_create, handle));
}

static void submit_exists(struct client *client, const char *path, enum watch_flag watch)
{
    struct handle *handle = of_client(client);
    submitted(handle, zoo_aexists(handle->zk, path, watch == WATCH, completed_stat, handle));
}

static void submit_get(struct client *client, const char *path, enum watch_flag watch)
{
    struct handle *handle = of_client(client);
    submitted(handle, zoo_aget(handle->zk, path, watch == WATCH, completed_data, handle));
}

static void submit_get_children(struct client *client, const char *path, enum watch_flag watch)
{
    struct handle *handle = of_client(client);
    submitted(handle, zoo_aget_children(handle->zk, path, watch == WATCH, completed_names, handle));
}

static void submit_remove(struct client *client, const char *path)
{
    struct handle *handle = of_client(client);
    submitted(handle, zoo_adelete(handle->zk, path, -1, completed_void, handle));
}

static uint64_t now_ns(const struct client *client)
{
    (void)client;
    return clock_now_ns();
}

static bool bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    const struct handle *handle = (const struct handle *)client;
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (handle->descriptor < 0 ||
        getsockopt(handle->descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return false;
    *sent_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    *received_bytes = info.tcpi_bytes_received;
    return true;
}

const struct client_driver handle_driver = {
    .create = submit_create,
    .exists = submit_exists,
    .get = submit_get,
    .get_children = submit_get_children,
    .remove = submit_remove,
    .now_ns = now_ns,
    .bytes = bytes,
};

/* ------------------------------------------------------------------ driving the library */

static enum fault_kind raise_init(struct fault *fault, const char *hosts)
{
    switch (errno) {
    case EINVAL:
        return fault_raise(fault, FAULT_USAGE, 0, hosts, "the connect string does not parse");
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        return fault_from_errno(fault, errno, hosts, "cannot make a session");
    default:
        return fault_raise(fault, FAULT_UNRESOLVED, 0, hosts, "%s", "");
    }
}

enum fault_kind handle_init(struct handle *handle, const char *hosts, uint32_t session_timeout_ms,
                            const struct client_listener *listener, void *owner,
                            struct fault *fault)
{
    *handle = (struct handle){
        .client = {.driver = &handle_driver, .listener = listener, .owner = owner},
        .descriptor = -1,
    };
    handle->zk =
        zookeeper_init(hosts, watcher, (int)session_timeout_ms, NULL, handle, ZOO_NO_LOG_CLIENTENV);
    if (handle->zk == NULL)
        return raise_init(fault, hosts);
    /* Without this every zookeeper_interest resolves the host names anew: 300 times the cost of the
     * call. */
    zoo_set_servers_resolution_delay(handle->zk, -1);
    return FAULT_NONE;
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
        zookeeper_process(handle->zk, ZOOKEEPER_READ);
    }
    zookeeper_close(handle->zk);
    *handle = (struct handle){.descriptor = -1};
}

void handle_process(struct handle *handle, uint32_t epoll_events)
{
    int events = 0;
    if (epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        events |= ZOOKEEPER_READ;
    if (epoll_events & EPOLLOUT)
        events |= ZOOKEEPER_WRITE;
    /* While it connects, the library asks for the socket's error only when it may write. */
    if ((epoll_events & (EPOLLERR | EPOLLHUP)) && zoo_state(handle->zk) == ZOO_CONNECTING_STATE)
        events |= ZOOKEEPER_WRITE;
    int code = zookeeper_process(handle->zk, events);
    if (code != ZOK && code != ZNOTHING)
        handle->reopened = true;
    handle_refresh(handle);
}

void handle_refresh(struct handle *handle)
{
    int descriptor = -1, interest = 0;
    struct timeval wait = {0};
    int code = zookeeper_interest(handle->zk, &descriptor, &interest, &wait);
    if (code != ZOK)
        descriptor = -1;
    if (descriptor != handle->descriptor || zoo_state(handle->zk) != ZOO_CONNECTED_STATE)
        handle->reopened = true;
    handle->descriptor = descriptor;
    handle->epoll_events = ((interest & ZOOKEEPER_READ) ? (uint32_t)EPOLLIN : 0u) |
                           ((interest & ZOOKEEPER_WRITE) ? (uint32_t)EPOLLOUT : 0u);
    handle->deadline_ns = code == ZINVALIDSTATE
                              ? UINT64_MAX /* expired: nothing will ever happen here */
                              : clock_now_ns() + (uint64_t)wait.tv_sec * NS_PER_S +
                                    (uint64_t)wait.tv_usec * NS_PER_US;
}

void handle_deliver_deferred(struct handle *handle)
{
    if (!handle->has_deferred)
        return;
    handle->has_deferred = false;
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
    if (handle->descriptor < 0 || zoo_state(handle->zk) != ZOO_CONNECTED_STATE)
        return false;
    bool sent = send(handle->descriptor, request, sizeof request, MSG_NOSIGNAL) == sizeof request;
    push(handle);
    return sent;
}
