// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "tests/cost/cost.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH         512
#define CONNECTIONS   8192
#define RECEIVED_SIZE 65536
#define REPLIES_SIZE  262144
#define STAT_BYTES    68
#define REPLY_MOST    (4 + 16 + 4 + READ_SERVER_VALUE_BYTES + STAT_BYTES)

enum { CREATE = 1, EXISTS = 3, GET = 4, SET = 5, CLOSE = -11 }; /* kinds of request */

struct connection {
    int fd;
    bool has_session;
    size_t used;
    unsigned char received[RECEIVED_SIZE];
};

static struct connection *connections[CONNECTIONS]; /* by descriptor */

/* What is to be sent on the connection that is answered. */
static struct {
    size_t length;
    unsigned char bytes[REPLIES_SIZE];
} replies;

static void put(const void *bytes, size_t length)
{
    memcpy(replies.bytes + replies.length, bytes, length);
    replies.length += length;
}

static void put_integer(int32_t value)
{
    uint32_t bytes = htonl((uint32_t)value);
    put(&bytes, sizeof bytes);
}

static int32_t get_integer(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return (int32_t)ntohl(value);
}

static void put_zeros(size_t length)
{
    memset(replies.bytes + replies.length, 0, length);
    replies.length += length;
}

static void send_replies(int fd)
{
    for (size_t at = 0; at < replies.length;) {
        ssize_t sent = send(fd, replies.bytes + at, replies.length - at, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    replies.length = 0;
}

/* ConnectResponse: protocol, timeout, session, password, read-only. The timeout is the one that
 * was asked for. */
static void accept_session(struct connection *connection, const unsigned char *request)
{
    connection->has_session = true;
    put_integer(37);
    put_integer(0);
    put_integer(get_integer(request + 12));
    put_integer(0);
    put_integer(connection->fd);
    put_integer(16);
    put_zeros(16 + 1);
}

static void put_body(int32_t kind, const unsigned char *body, size_t length)
{
    if (kind == GET) {
        put_integer(READ_SERVER_VALUE_BYTES);
        put_zeros(READ_SERVER_VALUE_BYTES);
    } else if (kind == CREATE && length >= 4 && (size_t)get_integer(body) <= 512) {
        put(body, 4 + (size_t)get_integer(body)); /* the path */
    }
    if (kind == GET || kind == EXISTS || kind == SET)
        put_zeros(STAT_BYTES);
}

/* A request without its length. */
static void answer(const unsigned char *request, size_t length)
{
    size_t begin = replies.length;
    replies.length += 4;
    put(request, 4); /* xid */
    put_zeros(8);    /* zxid */
    put_zeros(4);    /* no error */
    put_body(get_integer(request + 4), request + 8, length - 8);
    uint32_t bytes = htonl((uint32_t)(replies.length - begin - 4));
    memcpy(replies.bytes + begin, &bytes, sizeof bytes);
}

/* False at the end of the session. */
static bool take_frame(struct connection *connection, const unsigned char *frame, size_t length)
{
    if (replies.length + REPLY_MOST > sizeof replies.bytes)
        send_replies(connection->fd);
    if (!connection->has_session) {
        accept_session(connection, frame);
        return true;
    }
    answer(frame, length);
    return get_integer(frame + 4) != CLOSE;
}

/* A client that sends a word takes this answer for a server whose words are not enabled. */
static bool refuse_word(int fd, const unsigned char *word)
{
    static const char refusal[] = " is not executed because it is not in the whitelist.\n";
    put(word, 4);
    put(refusal, sizeof refusal - 1);
    send_replies(fd);
    return false;
}

/* False if the connection is to be closed. */
static bool take_all(struct connection *connection)
{
    const unsigned char *bytes = connection->received;
    bool goes_on = true;
    size_t at = 0;
    if (!connection->has_session && connection->used >= 4 && isalpha(bytes[0]))
        return refuse_word(connection->fd, bytes);
    while (goes_on && connection->used - at >= 4) {
        size_t length = (size_t)get_integer(bytes + at);
        if (connection->used - at < 4 + length)
            break;
        goes_on = take_frame(connection, bytes + at + 4, length);
        at += 4 + length;
    }
    send_replies(connection->fd);
    connection->used -= at;
    memmove(connection->received, bytes + at, connection->used);
    return goes_on;
}

static void receive(struct connection *connection)
{
    ssize_t got = recv(connection->fd, connection->received + connection->used,
                       sizeof connection->received - connection->used, 0);
    if (got > 0) {
        connection->used += (size_t)got;
        if (take_all(connection))
            return;
    }
    close(connection->fd);
    free(connection);
}

static void take_connection(int epoll, int listener)
{
    int yes = 1;
    int fd = accept(listener, NULL, NULL);
    if (fd < 0 || fd >= CONNECTIONS)
        _exit(1);
    connections[fd] = memory_new(1, sizeof *connections[fd]);
    connections[fd]->fd = fd;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void read_server_serve(int listener)
{
    struct epoll_event batch[BATCH];
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = listener}};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(epoll, batch, BATCH, -1);
        for (int i = 0; i < ready; i++) {
            if (batch[i].data.fd == listener)
                take_connection(epoll, listener);
            else
                receive(connections[batch[i].data.fd]);
        }
    }
}
