// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "client/calls.h"
#include "client/event_session.h"
#include "tests/cost/cost.h"

#include <errno.h>
#include <netinet/in.h>
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

#define BATCH              512
#define SESSION_TIMEOUT_MS 120000
#define WARM_UP_S          0.3

static struct library library;
static uint64_t replies;
static uint32_t established;

struct session {
    zhandle_t *zk;
    int descriptor;
    int interest;
};

static void set_tcp(const struct session *session, int option)
{
    const int yes = 1;
    setsockopt(session->descriptor, IPPROTO_TCP, option, &yes, sizeof yes);
}

static void watch(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    (void)type;
    (void)path;
    established += state == library.connected_state;
    if (state == library.connected_state)
        set_tcp(context, TCP_CORK);
}

static void replied(int code, const char *value, int length, const struct Stat *stat,
                    const void *data)
{
    const struct session *session = data;
    (void)value;
    (void)length;
    (void)stat;
    if (code != ZOK)
        _exit(1);
    replies++;
    library.aget(session->zk, "/read", 0, replied, data);
}

/* Asks the library what it waits for. */
static void refresh(int epoll, struct session *session)
{
    int descriptor = -1, interest = 0;
    struct timeval wait;
    library.interest(session->zk, &descriptor, &interest, &wait);
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
        int code = library.process(session->zk,
                                   ((batch[i].events & EPOLLIN) ? library.wants_read : 0) |
                                       ((batch[i].events & EPOLLOUT) ? library.wants_write : 0));
        for (int count = 1; code == ZOK && count < EVENT_SESSION_MESSAGES_MAX; count++)
            code = library.process(session->zk, library.wants_read);
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
    uint64_t before = replies, began_ns = clock_now_ns(), cpu_ns = clock_cpu_ns();
    turn_for(epoll, seconds);
    double read = (double)(replies - before);
    return (struct reads_figures){(double)(clock_cpu_ns() - cpu_ns) / 1e3 / read,
                                  read / ((double)(clock_now_ns() - began_ns) / 1e9)};
}

static enum error_kind open_all(uint16_t port, struct session *sessions, uint32_t count, int epoll,
                                struct error *error)
{
    char hosts[32];
    snprintf(hosts, sizeof hosts, "127.0.0.1:%u", port);
    enum error_kind kind = library_load(LIBRARY_ST, &library, error);
    for (uint32_t i = 0; kind == ERROR_NONE && i < count; i++) {
        sessions[i].descriptor = -1;
        kind = library_open(&library, hosts, watch, NULL, SESSION_TIMEOUT_MS, &sessions[i],
                            &sessions[i].zk, error);
        if (kind == ERROR_NONE)
            refresh(epoll, &sessions[i]);
    }
    while (kind == ERROR_NONE && established < count)
        turn(epoll);
    return kind;
}

/* The process ends with its sessions open: the server sees only ended connections. */
static void work(uint16_t port, uint32_t count, uint32_t depth, double seconds, int result)
{
    struct error error;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct session *sessions = calloc(count, sizeof *sessions);
    if (epoll < 0 || sessions == NULL ||
        open_all(port, sessions, count, epoll, &error) != ERROR_NONE)
        _exit(1);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < depth; k++)
            library.aget(sessions[i].zk, "/read", 0, replied, &sessions[i]);
        set_tcp(&sessions[i], TCP_NODELAY);
        refresh(epoll, &sessions[i]);
    }
    const struct reads_figures figures = read_for(epoll, seconds);
    _exit(write(result, &figures, sizeof figures) == sizeof figures ? 0 : 1);
}

enum error_kind bare_reads_measure(uint16_t port, uint32_t sessions, uint32_t depth, double seconds,
                                   struct reads_figures *figures, struct error *error)
{
    int result[2];
    if (pipe(result) != 0)
        return error_from_errno(error, errno, "bare reads", "pipe");
    pid_t client = fork();
    if (client == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(port, sessions, depth, seconds, result[1]);
    }
    int cause = errno;
    close(result[1]);
    bool is_told = client > 0 && read(result[0], figures, sizeof *figures) == sizeof *figures;
    close(result[0]);
    if (client < 0)
        return error_from_errno(error, cause, "bare reads", "fork");
    waitpid(client, NULL, 0);
    return is_told ? ERROR_NONE
                   : error_raise(error, ERROR_SYSTEM, 0, "bare reads", "the client has ended");
}
