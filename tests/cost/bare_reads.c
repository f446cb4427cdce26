// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "client/event_loop.h"
#include "client/library.h"
#include "tests/cost/cost.h"

#include <ctype.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 512

/* ------------------------------------------------------------------ the server */

#define CONNECTIONS   8192
#define RECEIVED_SIZE 65536
#define REPLIES_SIZE  262144
#define STAT_BYTES    68
#define REPLY_MOST    (4 + 16 + 4 + READ_SERVER_VALUE_BYTES + STAT_BYTES)

struct connection {
    int fd;
    bool has_session;
    size_t used;
    unsigned char received[RECEIVED_SIZE];
};

static struct connection *connections[CONNECTIONS]; /* by descriptor */
static pid_t server;

/* What is to be sent on the connection that is answered, up to `end`. */
static unsigned char replies[REPLIES_SIZE], *end = replies;

static void send_replies(int fd)
{
    for (unsigned char *at = replies; at < end;) {
        ssize_t sent = send(fd, at, (size_t)(end - at), MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += sent;
    }
    end = replies;
}

static void put_zeros(size_t length)
{
    memset(end, 0, length);
    end += length;
}

/* ConnectResponse: protocol, timeout, session, password, read-only. The timeout is the one that
 * was asked for. */
static void accept_session(struct connection *connection, const unsigned char *request)
{
    connection->has_session = true;
    end = put_integer(put_integer(end, 37), 0);
    end = put_integer(put_integer(end, get_integer(request + 12)), 0);
    end = put_integer(put_integer(end, connection->fd), 16);
    put_zeros(16 + 1);
}

/* A request without its length. */
static void answer(const unsigned char *request, size_t length)
{
    static const unsigned char no_error[8 + 4]; /* and no zxid */
    unsigned char *begin = end;
    int32_t kind = get_integer(request + 4);
    end = put(put(end + 4, request, 4), no_error, sizeof no_error);
    if (kind == GET) {
        end = put_integer(end, READ_SERVER_VALUE_BYTES);
        put_zeros(READ_SERVER_VALUE_BYTES);
    } else if (kind == CREATE && length >= 12 && (size_t)get_integer(request + 8) <= 512) {
        end = put(end, request + 8, 4 + (size_t)get_integer(request + 8)); /* the path */
    }
    if (kind == GET || kind == EXISTS || kind == SET)
        put_zeros(STAT_BYTES);
    put_integer(begin, (int32_t)(end - begin - 4));
}

/* False at the end of the session. */
static bool take_frame(struct connection *connection, const unsigned char *frame, size_t length)
{
    if (end + REPLY_MOST > replies + sizeof replies)
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
    end = put(put(end, word, 4), refusal, sizeof refusal - 1);
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

static void serve(int listener)
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

uint16_t read_server_start(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        fail_errno("listening");
    server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener);
    }
    if (server < 0)
        fail_errno("fork");
    close(listener);
    return ntohs(address.sin_port);
}

void read_server_stop(void)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

/* ------------------------------------------------------------------ the client */

#define SESSION_TIMEOUT_MS 120000
#define WARM_UP_S          0.3

static struct library library;
static uint64_t answered;
static uint32_t established;

struct session {
    struct handle handle; /* first */
    int descriptor;
    int interest;
};

static void set_tcp(const struct session *session, int option)
{
    const int yes = 1;
    setsockopt(session->descriptor, IPPROTO_TCP, option, &yes, sizeof yes);
}

static void state_changed(struct handle *handle, enum client_state state)
{
    if (state != CLIENT_ESTABLISHED)
        return;
    established++;
    set_tcp((const struct session *)handle, TCP_CORK);
}

static const struct handle_events handle_events = {.state_changed = state_changed};

static void replied(int code, const char *value, int length, const struct Stat *stat,
                    const void *data)
{
    const struct session *session = data;
    (void)value;
    (void)length;
    (void)stat;
    if (code != ZOK)
        _exit(1);
    answered++;
    library.aget(session->handle.zk, "/read", 0, replied, data);
}

/* Asks the library what it waits for. */
static void refresh(int epoll, struct session *session)
{
    int descriptor = -1, interest = 0;
    struct timeval wait;
    library.interest(session->handle.zk, &descriptor, &interest, &wait);
    if (descriptor == session->descriptor && interest == session->interest)
        return;
    struct epoll_event event = {.events =
                                    ((interest & library.wants_read) ? (uint32_t)EPOLLIN : 0u) |
                                    ((interest & library.wants_write) ? (uint32_t)EPOLLOUT : 0u),
                                .data = {.ptr = session}};
    epoll_ctl(epoll, session->descriptor < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
    session->descriptor = descriptor;
    session->interest = interest;
}

static void turn(int epoll)
{
    struct epoll_event batch[BATCH];
    int ready = epoll_wait(epoll, batch, BATCH, 1000);
    for (int i = 0; i < ready; i++) {
        struct session *session = batch[i].data.ptr;
        int code = library.process(session->handle.zk,
                                   ((batch[i].events & EPOLLIN) ? library.wants_read : 0) |
                                       ((batch[i].events & EPOLLOUT) ? library.wants_write : 0));
        for (int count = 1; code == ZOK && count < EVENT_LOOP_MESSAGES_MAX; count++)
            code = library.process(session->handle.zk, library.wants_read);
        set_tcp(session, TCP_NODELAY);
        refresh(epoll, session);
    }
}

static void turn_for(int epoll, double seconds)
{
    uint64_t until_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);
    while (clock_now_ns() < until_ns)
        turn(epoll);
}

static struct reads_figures read_for(int epoll, double seconds)
{
    turn_for(epoll, WARM_UP_S);
    uint64_t before = answered, began_ns = clock_now_ns(), cpu_ns = clock_cpu_ns();
    turn_for(epoll, seconds);
    double read = (double)(answered - before);
    return (struct reads_figures){(double)(clock_cpu_ns() - cpu_ns) / 1e3 / read,
                                  read / ((double)(clock_now_ns() - began_ns) / 1e9)};
}

static void open_all(uint16_t port, struct session *sessions, uint32_t count, int epoll)
{
    char hosts[32];
    struct error error;
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    if (library_load(LIBRARY_ST, NULL, &library, &error) != ERROR_NONE)
        _exit(1);
    for (uint32_t i = 0; i < count; i++) {
        sessions[i].descriptor = -1;
        if (handle_open(&sessions[i].handle, &library, &handle_events, hosts, SESSION_TIMEOUT_MS,
                        &error) != ERROR_NONE)
            _exit(1);
        refresh(epoll, &sessions[i]);
    }
    while (established < count)
        turn(epoll);
}

/* The process ends with its sessions open: the server sees only ended connections. */
static void work(uint16_t port, uint32_t count, uint32_t depth, double seconds, int result)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct session *sessions = memory_new(count, sizeof *sessions);
    open_all(port, sessions, count, epoll);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < depth; k++)
            library.aget(sessions[i].handle.zk, "/read", 0, replied, &sessions[i]);
        set_tcp(&sessions[i], TCP_NODELAY);
        refresh(epoll, &sessions[i]);
    }
    const struct reads_figures figures = read_for(epoll, seconds);
    _exit(write(result, &figures, sizeof figures) == sizeof figures ? 0 : 1);
}

struct reads_figures bare_reads_measure(uint16_t port, uint32_t sessions, uint32_t depth,
                                        double seconds)
{
    struct reads_figures figures;
    int result[2];
    if (pipe(result) != 0)
        fail_errno("pipe");
    pid_t client = fork();
    if (client == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(port, sessions, depth, seconds, result[1]);
    }
    if (client < 0)
        fail_errno("fork");
    close(result[1]);
    if (read(result[0], &figures, sizeof figures) != sizeof figures)
        fail(ERROR_SYSTEM, "the process of the bare reads has ended");
    close(result[0]);
    waitpid(client, NULL, 0);
    return figures;
}
