// SPDX-License-Identifier: Apache-2.0
#include "servers/connection_limit.h"

#include "base/clock.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONF_SIZE 8192

/* A server counts a connection a moment after it has accepted it. Without a pause it would accept
 * connections beyond its limit. */
#define BETWEEN_NS (2 * NS_PER_MS)

/* How long the server's close of a connection may take to arrive: more than a round trip. */
#define SETTLING_NS (250 * NS_PER_MS)

/* How long a server may take to notice that a connection has ended, and how many connections are
 * tried in its place. */
#define NOTICE_NS    (50 * NS_PER_MS)
#define NOTICE_TIMES 5

/* The connections of one attempt. */
struct attempt {
    const struct endpoint *endpoint;
    uint64_t timeout_ns; /* of each connection */
    struct pollfd *connections;
    size_t count;
    bool refused; /* the server has closed a connection */
    bool mute;    /* the server answers no question: none is asked again */
};

static bool has_no_limit(struct attempt *attempt)
{
    char conf[CONF_SIZE];
    struct error ignored;
    enum error_kind kind = four_letter_ask(attempt->endpoint, "conf", attempt->timeout_ns, conf,
                                           sizeof conf, &ignored);
    attempt->mute = kind == ERROR_NO_ANSWER;
    return kind == ERROR_NONE && strstr(conf, "\nmaxClientCnxns=0\n") != NULL;
}

/* Whether the server closes a connection within this time. Neither side sends anything. */
static bool is_any_closed(const struct attempt *attempt, uint64_t within_ns)
{
    return poll(attempt->connections, (nfds_t)attempt->count, (int)(within_ns / NS_PER_MS)) > 0;
}

static void close_from(struct attempt *attempt, size_t first)
{
    while (attempt->count > first)
        close(attempt->connections[--attempt->count].fd);
}

static enum error_kind open_one(struct attempt *attempt, struct error *error)
{
    struct pollfd *connection = &attempt->connections[attempt->count];
    enum error_kind kind = tcp_connect(attempt->endpoint, clock_now_ns() + attempt->timeout_ns,
                                       &connection->fd, error);
    connection->events = POLLIN | POLLRDHUP;
    attempt->count += kind == ERROR_NONE;
    return kind;
}

static enum error_kind open_all(struct attempt *attempt, uint64_t wanted, struct error *error)
{
    struct error found;
    while (attempt->count < wanted && !attempt->refused) {
        enum error_kind kind = open_one(attempt, &found);
        if (kind == ERROR_NO_DESCRIPTORS)
            break;
        if (kind != ERROR_NONE && kind != ERROR_CLOSED) {
            *error = found;
            return kind;
        }
        attempt->refused = kind == ERROR_CLOSED || is_any_closed(attempt, BETWEEN_NS);
    }
    return ERROR_NONE;
}

static void pause_ns(uint64_t duration_ns)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)duration_ns}, NULL);
}

/* Waits until the server has accepted or closed all connections so far: it takes them in the order
 * in which they come, and has answered a question on a later one, or has closed that one. */
static enum error_kind await_server(const struct attempt *attempt, struct error *error)
{
    char answer[CONF_SIZE];
    struct error found;
    if (attempt->mute)
        return ERROR_NONE;
    enum error_kind kind = four_letter_ask(attempt->endpoint, "conf", attempt->timeout_ns, answer,
                                           sizeof answer, &found);
    if (kind != ERROR_NO_ANSWER && kind != ERROR_REFUSED)
        return ERROR_NONE;
    *error = found;
    return kind;
}

/* Closes the connections that the server has closed. */
static enum error_kind keep_open(struct attempt *attempt, struct error *error)
{
    size_t kept = 0;
    enum error_kind kind = await_server(attempt, error);
    if (kind != ERROR_NONE)
        return kind;
    pause_ns(SETTLING_NS);
    attempt->refused = is_any_closed(attempt, 0) || attempt->refused;
    for (size_t i = 0; i < attempt->count; i++) {
        if (attempt->connections[i].revents == 0)
            attempt->connections[kept++] = attempt->connections[i];
        else
            close(attempt->connections[i].fd);
    }
    attempt->count = kept;
    return ERROR_NONE;
}

/* *taken: whether the server accepts one more connection, and keeps it. */
static enum error_kind take_one(struct attempt *attempt, bool *taken, struct error *error)
{
    *taken = false;
    for (int i = 0; i < NOTICE_TIMES && !*taken; i++) {
        struct error found;
        pause_ns(NOTICE_NS);
        enum error_kind kind = await_server(attempt, &found);
        if (kind == ERROR_NONE)
            kind = open_one(attempt, &found);
        if (kind == ERROR_CLOSED)
            continue;
        if (kind == ERROR_NONE)
            kind = await_server(attempt, &found);
        if (kind != ERROR_NONE) {
            *error = found;
            return kind;
        }
        *taken = !is_any_closed(attempt, NOTICE_NS);
        if (!*taken)
            close_from(attempt, attempt->count - 1);
    }
    return ERROR_NONE;
}

/* Ends one connection after another until the server accepts a new one in its place: then the
 * server was at its limit. Before that it was beyond its limit, because it had accepted the last
 * connections before it had counted those before them. */
static enum error_kind find_limit(struct attempt *attempt, uint64_t *limit, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    char subject[ENDPOINT_TEXT_SIZE];
    bool found = attempt->count == 0;
    *limit = 0;
    while (kind == ERROR_NONE && !found && attempt->count > 0) {
        *limit = attempt->count;
        close_from(attempt, attempt->count - 1);
        kind = take_one(attempt, &found, error);
    }
    if (kind == ERROR_NONE && !found)
        return error_raise(error, ERROR_NO_ANSWER, 0,
                           endpoint_format(attempt->endpoint, subject, sizeof subject),
                           "it takes no connection in place of one that ended");
    return kind;
}

/* The next client is to find room again: when a question is let in the server has begun to notice
 * the ends. */
static void await_room(const struct attempt *attempt)
{
    struct error error;
    enum error_kind kind = ERROR_CLOSED;
    char answer[CONF_SIZE];
    for (int i = 0; i < NOTICE_TIMES && kind == ERROR_CLOSED; i++) {
        pause_ns(SETTLING_NS);
        kind = attempt->mute ? ERROR_NONE
                             : four_letter_ask(attempt->endpoint, "conf", attempt->timeout_ns,
                                               answer, sizeof answer, &error);
    }
}

enum error_kind connection_limit_try(const struct endpoint *endpoint, uint64_t wanted,
                                     uint64_t timeout_ns, uint64_t *room, struct error *error)
{
    struct attempt attempt = {.endpoint = endpoint, .timeout_ns = timeout_ns};
    *room = CONNECTION_LIMIT_ENOUGH;
    if (has_no_limit(&attempt))
        return ERROR_NONE;
    if (wanted > CONNECTION_LIMIT_TRIED_MAX)
        wanted = CONNECTION_LIMIT_TRIED_MAX;
    attempt.connections = calloc(wanted + 1, sizeof *attempt.connections);
    if (attempt.connections == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "connections", "%s", "");
    enum error_kind kind = open_all(&attempt, wanted, error);
    if (kind == ERROR_NONE)
        kind = keep_open(&attempt, error);
    size_t kept = attempt.count;
    if (kind == ERROR_NONE)
        kind = find_limit(&attempt, room, error);
    if (kind == ERROR_NONE && !attempt.refused && *room == kept)
        *room = CONNECTION_LIMIT_ENOUGH;
    close_from(&attempt, 0);
    await_room(&attempt);
    free(attempt.connections);
    return kind;
}
