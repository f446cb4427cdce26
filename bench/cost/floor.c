// SPDX-License-Identifier: Apache-2.0
#include "bench/cost/floor.h"

#include "base/clock.h"

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

static void serve(int listener)
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

static enum error_kind start_server(struct sockaddr_in *address, pid_t *server, struct error *error)
{
    socklen_t length = sizeof *address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (listener < 0 || bind(listener, (struct sockaddr *)address, sizeof *address) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)address, &length) != 0)
        return error_from_errno(error, errno, "floor", "cannot listen");
    *server = fork();
    if (*server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener);
    }
    int cause = errno;
    close(listener);
    return *server > 0 ? ERROR_NONE : error_from_errno(error, cause, "floor", "fork");
}

static enum error_kind connect_all(const struct sockaddr_in *address, int epoll, int *descriptors,
                                   uint32_t connections, struct error *error)
{
    int yes = 1;
    for (uint32_t i = 0; i < connections; i++) {
        descriptors[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptors[i] < 0 ||
            connect(descriptors[i], (const struct sockaddr *)address, sizeof *address) != 0)
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

static enum error_kind measure(const struct sockaddr_in *address, int *descriptors,
                               uint32_t connections, uint64_t round_trips, double *cpu_us,
                               struct error *error)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    enum error_kind kind = connect_all(address, epoll, descriptors, connections, error);
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
    return kind;
}

enum error_kind floor_measure(uint32_t connections, uint64_t round_trips, double *cpu_us,
                              struct error *error)
{
    struct sockaddr_in address;
    pid_t server = 0;
    int *descriptors = calloc(connections, sizeof *descriptors);
    if (descriptors == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "floor", "%s", "");
    enum error_kind kind = start_server(&address, &server, error);
    if (kind == ERROR_NONE) {
        kind = measure(&address, descriptors, connections, round_trips, cpu_us, error);
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
    }
    free(descriptors);
    return kind;
}
