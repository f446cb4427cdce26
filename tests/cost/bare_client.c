// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "servers/tcp.h"
#include "tests/cost/cost.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH              512
#define PATIENCE_NS        (60 * NS_PER_S)
#define SESSION_TIMEOUT_MS 120000
#define FRAME_SIZE         512 /* of a request; of what is received and not yet read */
#define CONNECT_REPLY      41  /* bytes */
#define REPLY_HEADER       16  /* xid, zxid, error */

enum { XID_NOTIFICATION = -1, EVENT_DELETED = 2 };
enum { OK = 0, NO_NODE = -101, NODE_EXISTS = -110 };

enum state { CREATING, LOOKING, WAITING, DELETING, DONE };

struct connection {
    int fd;
    int32_t xid;
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

static unsigned char *put_text(unsigned char *at, const char *text)
{
    return put(put_integer(at, (int32_t)strlen(text)), text, strlen(text));
}

/* Behind the length and the xid. */
static unsigned char *begin(struct frame *frame, int32_t kind)
{
    return put_integer(frame->bytes + 8, kind);
}

static void end(struct frame *frame, const unsigned char *at)
{
    frame->length = (size_t)(at - frame->bytes);
    put_integer(frame->bytes, (int32_t)frame->length - 4);
}

static void make_frames(struct bare *bare, const char *lock)
{
    unsigned char *at = put_text(begin(&bare->create, CREATE), lock);
    at = put_integer(at, -1);                 /* no data */
    at = put_integer(put_integer(at, 1), 31); /* one ACL entry: all permissions … */
    at = put_text(put_text(at, "world"), "anyone");
    end(&bare->create, put_integer(at, 1)); /* ephemeral */
    at = put_text(begin(&bare->exists, EXISTS), lock);
    end(&bare->exists, put(at, "\1", 1)); /* with a watch */
    at = put_text(begin(&bare->delete, DELETE), lock);
    end(&bare->delete, put_integer(at, -1)); /* any version */
}

/* ------------------------------------------------------------------ the lock */

/* A request is small and the only one of its connection: there is room for it in the socket. */
static void request(struct bare *bare, struct connection *connection, struct frame *frame,
                    enum state state)
{
    put_integer(frame->bytes + 4, ++connection->xid);
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

static void receive(struct bare *bare, struct connection *connection)
{
    unsigned char *bytes = connection->received;
    ssize_t got = recv(connection->fd, bytes + connection->used,
                       sizeof connection->received - connection->used, 0);
    if (got <= 0)
        fail(ERROR_CLOSED, "a connection has ended");
    connection->used += (size_t)got;
    size_t at = 0;
    for (;;) {
        size_t left = connection->used - at;
        size_t length = left >= 4 ? 4 + (size_t)get_integer(bytes + at) : 0;
        if (left < 4 || left < length)
            break;
        if (length < 4 + REPLY_HEADER || !take_frame(bare, connection, bytes + at + 4))
            fail(ERROR_ZOOKEEPER, "an answer does not belong to this lock");
        at += length;
    }
    connection->used -= at;
    memmove(bytes, bytes + at, connection->used);
}

static void drain(struct bare *bare)
{
    struct epoll_event batch[BATCH];
    for (uint32_t i = 0; i < bare->count; i++)
        request(bare, &bare->connections[i], &bare->create, CREATING);
    while (bare->done < bare->count) {
        int ready = epoll_wait(bare->epoll, batch, BATCH, (int)(PATIENCE_NS / NS_PER_MS));
        if (ready <= 0)
            fail(ERROR_NO_ANSWER, "nothing has come for a minute");
        for (int i = 0; i < ready; i++)
            receive(bare, batch[i].data.ptr);
    }
}

/* ------------------------------------------------------------------ sessions */

/* No zxid seen, no session and no password; not read-only. */
static void send_connect(const struct connection *connection)
{
    struct frame frame = {.length = 4 + 45};
    put_integer(frame.bytes, 45);
    put_integer(frame.bytes + 4 + 4 + 8, SESSION_TIMEOUT_MS);
    put_integer(frame.bytes + 4 + 4 + 8 + 4 + 8, 16); /* bytes of the password */
    (void)!send(connection->fd, frame.bytes, frame.length, MSG_NOSIGNAL);
}

static void await_session(struct bare *bare, struct connection *connection)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = connection}};
    unsigned char reply[CONNECT_REPLY];
    if (!tcp_await(connection->fd, POLLIN, clock_now_ns() + PATIENCE_NS) ||
        recv(connection->fd, reply, sizeof reply, 0) != sizeof reply)
        fail(ERROR_NO_ANSWER, "no session");
    epoll_ctl(bare->epoll, EPOLL_CTL_ADD, connection->fd, &event);
}

static void open_all(struct bare *bare, const struct endpoint *server)
{
    struct error error;
    int yes = 1;
    for (uint32_t i = 0; i < bare->count; i++) {
        struct connection *connection = &bare->connections[i];
        must(tcp_begin(server, &connection->fd, &error), &error);
        if (!tcp_await(connection->fd, POLLOUT, clock_now_ns() + PATIENCE_NS))
            fail(ERROR_NO_ANSWER, "no connection");
        must(tcp_end(server, connection->fd, &error), &error);
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        send_connect(connection);
    }
    for (uint32_t i = 0; i < bare->count; i++)
        await_session(bare, &bare->connections[i]);
}

/* Waits until the server has closed the connections: it has ended the sessions then. */
static void close_all(struct bare *bare)
{
    struct frame frame = {.length = 0};
    char unread[FRAME_SIZE];
    end(&frame, begin(&frame, CLOSE));
    for (uint32_t i = 0; i < bare->count; i++)
        (void)!send(bare->connections[i].fd, frame.bytes, frame.length, MSG_NOSIGNAL);
    for (uint32_t i = 0; i < bare->count; i++) {
        int fd = bare->connections[i].fd;
        while (tcp_await(fd, POLLIN, clock_now_ns() + PATIENCE_NS) &&
               recv(fd, unread, sizeof unread, 0) > 0)
            continue;
        close(fd);
    }
}

double bare_client_measure(const struct endpoint *server, const char *lock, uint32_t connections)
{
    struct bare bare = {.epoll = epoll_create1(EPOLL_CLOEXEC), .count = connections};
    if (bare.epoll < 0)
        fail_errno("epoll_create1");
    bare.connections = memory_new(connections, sizeof *bare.connections);
    make_frames(&bare, lock);
    open_all(&bare, server);
    uint64_t before_ns = clock_cpu_ns();
    drain(&bare);
    double cpu_us = (double)(clock_cpu_ns() - before_ns) / 1e3 / (double)bare.requests;
    close_all(&bare);
    free(bare.connections);
    close(bare.epoll);
    return cpu_us;
}
