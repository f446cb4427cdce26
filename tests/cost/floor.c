// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "tests/cost/cost.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_BYTES 64
#define REPLY_BYTES   40
#define BATCH         512

static void add(int epoll, int descriptor)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/* Requests are small and one at a time on a connection: on loopback each arrives whole. */
static void answer(int descriptor)
{
    char request[REQUEST_BYTES];
    static const char reply[REPLY_BYTES];
    if (recv(descriptor, request, sizeof request, 0) <= 0 ||
        send(descriptor, reply, sizeof reply, MSG_NOSIGNAL) < 0)
        close(descriptor);
}

static void serve_echoes(int listener)
{
    struct epoll_event batch[BATCH];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int yes = 1;
    add(epoll, listener);
    for (;;) {
        int ready = epoll_wait(epoll, batch, BATCH, -1);
        for (int i = 0; i < ready; i++) {
            int descriptor = batch[i].data.fd;
            if (descriptor != listener) {
                answer(descriptor);
                continue;
            }
            descriptor = accept(listener, NULL, NULL);
            setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            add(epoll, descriptor);
        }
    }
}

enum error_kind bare_server_start(void (*serve)(int listener), uint16_t *port, pid_t *server,
                                  struct error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return error_from_errno(error, errno, "server", "cannot listen");
    *server = fork();
    if (*server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener);
    }
    int cause = errno;
    close(listener);
    *port = ntohs(address.sin_port);
    return *server > 0 ? ERROR_NONE : error_from_errno(error, cause, "server", "fork");
}

void bare_server_stop(pid_t server)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

static enum error_kind connect_all(uint16_t port, int epoll, int *descriptors, uint32_t connections,
                                   struct error *error)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1;
    for (uint32_t i = 0; i < connections; i++) {
        descriptors[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptors[i] < 0 ||
            connect(descriptors[i], (const struct sockaddr *)&address, sizeof address) != 0)
            return error_from_errno(error, errno, "floor", "connection %u", i + 1);
        setsockopt(descriptors[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        add(epoll, descriptors[i]);
    }
    return ERROR_NONE;
}

static void request(int descriptor)
{
    static const char bytes[REQUEST_BYTES];
    (void)!send(descriptor, bytes, sizeof bytes, MSG_NOSIGNAL);
}

/* Every reply is followed by the next request, until all round trips are made. False if a
 * connection ends before. */
static bool ping_pong(int epoll, const int *descriptors, uint32_t connections, uint64_t round_trips)
{
    struct epoll_event batch[BATCH];
    char reply[REPLY_BYTES];
    uint64_t sent = connections;
    for (uint32_t i = 0; i < connections; i++)
        request(descriptors[i]);
    for (uint64_t received = 0; received < round_trips;) {
        int ready = epoll_wait(epoll, batch, BATCH, -1);
        for (int i = 0; i < ready; i++) {
            if (recv(batch[i].data.fd, reply, sizeof reply, 0) <= 0)
                return false;
            received++;
            if (sent < round_trips) {
                sent++;
                request(batch[i].data.fd);
            }
        }
    }
    return true;
}

enum error_kind floor_measure(uint32_t connections, uint64_t round_trips, double *cpu_us,
                              struct error *error)
{
    uint16_t port;
    pid_t server;
    enum error_kind kind = bare_server_start(serve_echoes, &port, &server, error);
    if (kind != ERROR_NONE)
        return kind;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int *descriptors = memory_new(connections, sizeof *descriptors);
    kind = connect_all(port, epoll, descriptors, connections, error);
    if (kind == ERROR_NONE) {
        uint64_t before_ns = clock_cpu_ns();
        if (!ping_pong(epoll, descriptors, connections, round_trips))
            kind = error_raise(error, ERROR_SYSTEM, 0, "floor", "a connection has ended");
        *cpu_us = (double)(clock_cpu_ns() - before_ns) / 1e3 / (double)round_trips;
    }
    for (uint32_t i = 0; i < connections; i++) {
        if (descriptors[i] > 0)
            close(descriptors[i]);
    }
    close(epoll);
    free(descriptors);
    bare_server_stop(server);
    return kind;
}
