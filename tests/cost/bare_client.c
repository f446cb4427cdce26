// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "servers/tcp.h"
#include "tests/cost/cost.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH              512
#define PATIENCE_NS        (60 * NS_PER_S)
#define SESSION_TIMEOUT_MS 120000
#define FRAME_SIZE         512 /* of a request; of what is received and not yet read */
#define CONNECT_REPLY      41  /* bytes */
#define REPLY_HEADER       16  /* xid, zxid, error */

enum { CREATE = 1, DELETE = 2, EXISTS = 3, CLOSE = -11 }; /* kinds of request */
enum { XID_NOTIFICATION = -1, EVENT_DELETED = 2 };
enum { OK = 0, NO_NODE = -101, NODE_EXISTS = -110 };

enum state { CREATING, LOOKING, WAITING, DELETING, DONE };

struct connection {
    int fd;
    uint32_t xid;
    enum state state;
    size_t used;
    unsigned char received[FRAME_SIZE];
};

/* A request with its length before it; only the xid differs from one to the next. */
struct frame {
    unsigned char bytes[FRAME_SIZE];
    size_t length;
};

struct bare {
    struct frame create, exists, delete;
    int epoll;
    uint64_t requests;
    uint32_t done;
    uint32_t count;
    struct connection *connections;
};

/* ------------------------------------------------------------------ frames */

static void put(struct frame *frame, const void *bytes, size_t length)
{
    memcpy(frame->bytes + frame->length, bytes, length);
    frame->length += length;
}

static void put_integer(struct frame *frame, int32_t value)
{
    uint32_t bytes = htonl((uint32_t)value);
    put(frame, &bytes, sizeof bytes);
}

static void put_string(struct frame *frame, const char *text)
{
    put_integer(frame, (int32_t)strlen(text));
    put(frame, text, strlen(text));
}

static void begin(struct frame *frame, int32_t kind)
{
    frame->length = 4; /* the length of the rest, by end() */
    put_integer(frame, 0);
    put_integer(frame, kind);
}

static void end(struct frame *frame)
{
    uint32_t length = htonl((uint32_t)frame->length - 4);
    memcpy(frame->bytes, &length, sizeof length);
}

static int32_t get_integer(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return (int32_t)ntohl(value);
}

static void make_frames(struct bare *bare, const char *lock)
{
    begin(&bare->create, CREATE);
    put_string(&bare->create, lock);
    put_integer(&bare->create, -1); /* no data */
    put_integer(&bare->create, 1);  /* one ACL entry: all permissions for world:anyone */
    put_integer(&bare->create, 31);
    put_string(&bare->create, "world");
    put_string(&bare->create, "anyone");
    put_integer(&bare->create, 1); /* ephemeral */
    end(&bare->create);
    begin(&bare->exists, EXISTS);
    put_string(&bare->exists, lock);
    put(&bare->exists, "\1", 1); /* with a watch */
    end(&bare->exists);
    begin(&bare->delete, DELETE);
    put_string(&bare->delete, lock);
    put_integer(&bare->delete, -1); /* any version */
    end(&bare->delete);
}

/* ------------------------------------------------------------------ the lock */

/* A request is small and the only one of its connection: there is room for it in the socket. */
static void request(struct bare *bare, struct connection *connection, struct frame *frame,
                    enum state state)
{
    uint32_t xid = htonl(++connection->xid);
    memcpy(frame->bytes + 4, &xid, sizeof xid);
    (void)!send(connection->fd, frame->bytes, frame->length, MSG_NOSIGNAL);
    connection->state = state;
    bare->requests++;
}

/* False if the answer does not belong to this lock. */
static bool take_reply(struct bare *bare, struct connection *connection, int32_t error)
{
    switch (connection->state) {
    case CREATING:
        if (error == OK)
            request(bare, connection, &bare->delete, DELETING);
        else
            request(bare, connection, &bare->exists, LOOKING);
        return error == OK || error == NODE_EXISTS;
    case LOOKING:
        if (error == OK)
            connection->state = WAITING;
        else
            request(bare, connection, &bare->create, CREATING);
        return error == OK || error == NO_NODE;
    case DELETING:
        connection->state = DONE;
        bare->done++;
        return error == OK;
    default:
        return false;
    }
}

/* An EXISTS that found no znode has left a watch for its creation, of which nothing follows. */
static bool take_frame(struct bare *bare, struct connection *connection, const unsigned char *frame)
{
    if (get_integer(frame) != XID_NOTIFICATION)
        return take_reply(bare, connection, get_integer(frame + 12));
    if (get_integer(frame + REPLY_HEADER) == EVENT_DELETED && connection->state == WAITING)
        request(bare, connection, &bare->create, CREATING);
    return true;
}

static enum error_kind receive(struct bare *bare, struct connection *connection,
                               struct error *error)
{
    unsigned char *bytes = connection->received;
    ssize_t got = recv(connection->fd, bytes + connection->used,
                       sizeof connection->received - connection->used, 0);
    if (got <= 0)
        return error_raise(error, ERROR_CLOSED, 0, "bare client", "%s", "");
    connection->used += (size_t)got;
    size_t at = 0;
    for (;;) {
        size_t left = connection->used - at;
        size_t length = left >= 4 ? 4 + (size_t)get_integer(bytes + at) : 0;
        if (left < 4 || left < length)
            break;
        if (length < 4 + REPLY_HEADER || !take_frame(bare, connection, bytes + at + 4))
            return error_raise(error, ERROR_ZOOKEEPER, 0, "bare client", "%s", "");
        at += length;
    }
    connection->used -= at;
    memmove(bytes, bytes + at, connection->used);
    return ERROR_NONE;
}

static enum error_kind drain(struct bare *bare, struct error *error)
{
    struct epoll_event batch[BATCH];
    enum error_kind kind = ERROR_NONE;
    for (uint32_t i = 0; i < bare->count; i++)
        request(bare, &bare->connections[i], &bare->create, CREATING);
    while (kind == ERROR_NONE && bare->done < bare->count) {
        int ready = epoll_wait(bare->epoll, batch, BATCH, (int)(PATIENCE_NS / NS_PER_MS));
        if (ready <= 0)
            return error_raise(error, ERROR_NO_ANSWER, 0, "bare client", "%s", "");
        for (int i = 0; kind == ERROR_NONE && i < ready; i++)
            kind = receive(bare, batch[i].data.ptr, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ sessions */

static void send_connect(const struct connection *connection)
{
    static const char nothing[16];
    struct frame frame = {.length = 4};
    put_integer(&frame, 0);  /* protocol */
    put(&frame, nothing, 8); /* the last zxid seen */
    put_integer(&frame, SESSION_TIMEOUT_MS);
    put(&frame, nothing, 8); /* no session */
    put_integer(&frame, 16);
    put(&frame, nothing, 16); /* no password */
    put(&frame, nothing, 1);  /* not read-only */
    end(&frame);
    (void)!send(connection->fd, frame.bytes, frame.length, MSG_NOSIGNAL);
}

static enum error_kind await_session(struct bare *bare, struct connection *connection,
                                     struct error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = connection}};
    unsigned char reply[CONNECT_REPLY];
    if (!tcp_await(connection->fd, POLLIN, clock_now_ns() + PATIENCE_NS))
        return error_raise(error, ERROR_NO_ANSWER, 0, "bare client", "no session");
    if (recv(connection->fd, reply, sizeof reply, 0) != sizeof reply)
        return error_raise(error, ERROR_CLOSED, 0, "bare client", "no session");
    return epoll_ctl(bare->epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0
               ? ERROR_NONE
               : error_from_errno(error, errno, "bare client", "epoll_ctl");
}

static enum error_kind open_all(struct bare *bare, const struct endpoint *server,
                                struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    int yes = 1;
    for (uint32_t i = 0; kind == ERROR_NONE && i < bare->count; i++) {
        struct connection *connection = &bare->connections[i];
        kind = tcp_connect(server, clock_now_ns() + PATIENCE_NS, &connection->fd, error);
        if (kind != ERROR_NONE)
            return kind;
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        send_connect(connection);
    }
    for (uint32_t i = 0; kind == ERROR_NONE && i < bare->count; i++)
        kind = await_session(bare, &bare->connections[i], error);
    return kind;
}

/* Waits until the server has closed the connections: it has ended the sessions then. */
static void close_all(struct bare *bare)
{
    struct frame frame;
    char unread[FRAME_SIZE];
    begin(&frame, CLOSE);
    end(&frame);
    for (uint32_t i = 0; i < bare->count; i++)
        (void)!send(bare->connections[i].fd, frame.bytes, frame.length, MSG_NOSIGNAL);
    for (uint32_t i = 0; i < bare->count; i++) {
        int fd = bare->connections[i].fd;
        while (fd >= 0 && tcp_await(fd, POLLIN, clock_now_ns() + PATIENCE_NS) &&
               recv(fd, unread, sizeof unread, 0) > 0)
            continue;
        if (fd >= 0)
            close(fd);
    }
}

enum error_kind bare_client_measure(const struct endpoint *server, const char *lock,
                                    uint32_t connections, double *cpu_us, struct error *error)
{
    struct bare bare = {.epoll = epoll_create1(EPOLL_CLOEXEC), .count = connections};
    if (bare.epoll < 0)
        return error_from_errno(error, errno, "bare client", "epoll_create1");
    bare.connections = memory_new(connections, sizeof *bare.connections);
    for (uint32_t i = 0; i < connections; i++)
        bare.connections[i].fd = -1;
    make_frames(&bare, lock);
    enum error_kind kind = open_all(&bare, server, error);
    if (kind == ERROR_NONE) {
        uint64_t before_ns = clock_cpu_ns();
        kind = drain(&bare, error);
        *cpu_us = (double)(clock_cpu_ns() - before_ns) / 1e3 / (double)bare.requests;
    }
    close_all(&bare);
    free(bare.connections);
    close(bare.epoll);
    return kind;
}
