// SPDX-License-Identifier: Apache-2.0
#include "relay/relay.h"

#include "base/clock.h"
#include "base/memory.h"
#include "servers/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE       ((size_t)64 * 1024) /* of bytes that are read at once */
#define EVENTS_MOST 256
#define BACKLOG     4096

/* Type tag: first member of both structs that epoll's data points to. */
enum watched { WATCHED_PORT, WATCHED_SIDE };

struct port {
    enum watched watched;
    int fd;
    const struct endpoint *server;
};

/* One end of a connection that is relayed. */
struct side {
    enum watched watched;
    enum conversation_side which;
    struct pair *pair;
    int fd;
    uint32_t events;        /* that epoll waits for; 0: it is not registered */
    unsigned char *pending; /* bytes for this end that it has not taken yet, or NULL */
    size_t pending_from, pending_to;
    bool ended; /* it sends nothing more */
    bool shut;  /* nothing more is sent to it */
};

struct pair {
    struct side sides[CONVERSATION_SIDES];
    const struct endpoint *server;
    struct conversation conversation;
    bool connecting; /* to the server */
    bool closed;
    LIST_ENTRY(pair) link;
};

struct relay {
    struct relay_options options;
    struct connect_string connect;
    struct port ports[CONNECT_ENDPOINTS_MAX];
    int epoll;
    int spare; /* given up for a moment to close a connection for which there is no descriptor */
    LIST_HEAD(pairs, pair) open, closed; /* closed: freed when no event points to them any more */
    struct relay_connections connections;
    unsigned char piece[PIECE];
};

/* ------------------------------------------------------------------ ports */

/* Opens a port for a server, and sets its endpoint in the connect string. */
static enum error_kind open_port(struct relay *relay, size_t index, const struct addrinfo *address,
                                 struct error *error)
{
    struct port *port = &relay->ports[index];
    struct endpoint *endpoint = &relay->connect.endpoints[index];
    const char *name = relay->options.address;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = port};
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char number[8];
    port->server = &relay->options.servers->endpoints[index];
    port->fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (port->fd < 0 || bind(port->fd, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(port->fd, BACKLOG) != 0 ||
        getsockname(port->fd, (struct sockaddr *)&bound, &size) != 0 ||
        getnameinfo((struct sockaddr *)&bound, size, NULL, 0, number, sizeof number,
                    NI_NUMERICSERV) != 0 ||
        epoll_ctl(relay->epoll, EPOLL_CTL_ADD, port->fd, &event) != 0)
        return errno == EADDRNOTAVAIL
                   ? error_raise(error, ERROR_USAGE, 0, name, "this host has no such address")
                   : error_from_errno(error, errno, name, "while listening");
    *endpoint = (struct endpoint){.port = (uint16_t)strtoul(number, NULL, 10)};
    snprintf(endpoint->host, sizeof endpoint->host, "%s", name);
    return ERROR_NONE;
}

enum error_kind relay_new(const struct relay_options *options, struct relay **relay,
                          struct error *error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *address = NULL;
    struct relay *new = memory_new(1, sizeof *new);
    *new = (struct relay){.options = *options,
                          .connect = *options->servers,
                          .epoll = epoll_create1(EPOLL_CLOEXEC),
                          .spare = open("/dev/null", O_RDONLY | O_CLOEXEC)};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        new->ports[i].fd = -1;
    if (new->epoll < 0 || new->spare < 0)
        kind = error_from_errno(error, errno, "relay", "while making its loop");
    else if (getaddrinfo(options->address, "0", &hints, &address) != 0)
        kind = error_raise(error, ERROR_USAGE, 0, options->address,
                           "this is no address of a host in numbers");
    for (size_t i = 0; i < options->servers->count && kind == ERROR_NONE; i++)
        kind = open_port(new, i, address, error);
    if (address != NULL)
        freeaddrinfo(address);
    if (kind == ERROR_NONE)
        *relay = new;
    else
        relay_free(new);
    return kind;
}

const struct connect_string *relay_connect(const struct relay *relay)
{
    return &relay->connect;
}

struct relay_connections relay_connections(const struct relay *relay)
{
    return relay->connections;
}

/* ------------------------------------------------------------------ the end of a connection */

/* Closes both ends; with a reset where one was received, so that the other end sees the same. What
 * the server has sent counts, though no client gets it. */
static void close_pair(struct relay *relay, struct pair *pair, bool with_reset)
{
    const struct linger reset = {.l_onoff = 1};
    const int server = pair->sides[CONVERSATION_SERVER].fd;
    for (ssize_t count; (count = recv(server, relay->piece, PIECE, 0)) > 0;)
        conversation_feed(&pair->conversation, CONVERSATION_SERVER, relay->piece, (size_t)count,
                          clock_now_ns());
    for (int i = 0; i < CONVERSATION_SIDES; i++) {
        struct side *side = &pair->sides[i];
        if (with_reset)
            (void)setsockopt(side->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        if (side->fd >= 0)
            close(side->fd);
        free(side->pending);
        side->pending = NULL;
    }
    pair->closed = true;
    relay->connections.open--;
    if (relay->options.ended != NULL)
        relay->options.ended(relay->options.context, &pair->conversation);
    conversation_deinit(&pair->conversation);
    LIST_REMOVE(pair, link);
    LIST_INSERT_HEAD(&relay->closed, pair, link);
}

static void free_closed(struct relay *relay)
{
    struct pair *pair;
    while ((pair = LIST_FIRST(&relay->closed)) != NULL) {
        LIST_REMOVE(pair, link);
        free(pair);
    }
}

/* ------------------------------------------------------------------ bytes */

static struct side *other_side(struct side *side)
{
    return &side->pair->sides[!side->which];
}

/* Has epoll wait for what the side can do next. What waits for nothing is taken out, because the
 * end of both directions would be reported again and again. */
static void watch(struct relay *relay, struct side *side)
{
    struct pair *pair = side->pair;
    struct epoll_event event = {.data.ptr = side};
    if (!pair->connecting && !side->ended && other_side(side)->pending == NULL)
        event.events |= EPOLLIN;
    if (side->pending != NULL || (pair->connecting && side->which == CONVERSATION_SERVER))
        event.events |= EPOLLOUT;
    if (event.events == side->events)
        return;
    int operation = side->events == 0   ? EPOLL_CTL_ADD
                    : event.events == 0 ? EPOLL_CTL_DEL
                                        : EPOLL_CTL_MOD;
    (void)epoll_ctl(relay->epoll, operation, side->fd, &event);
    side->events = event.events;
}

static bool is_to_be_continued(int os_error)
{
    return os_error == EAGAIN || os_error == EINTR;
}

/* Sends to a side. Returns how many bytes it has taken, or SIZE_MAX if its connection is broken. */
static size_t give(struct side *side, const unsigned char *bytes, size_t count)
{
    size_t given = 0;
    while (given < count) {
        ssize_t sent = send(side->fd, bytes + given, count - given, MSG_NOSIGNAL);
        if (sent < 0)
            return is_to_be_continued(errno) ? given : SIZE_MAX;
        given += (size_t)sent;
    }
    return given;
}

/* Passes on that a side sends nothing more, when the other has taken everything before. */
static void pass_end(struct relay *relay, struct side *side)
{
    struct side *other = other_side(side);
    if (side->ended && other->pending == NULL && !other->shut) {
        (void)shutdown(other->fd, SHUT_WR);
        other->shut = true;
    }
    if (side->shut && other->shut)
        close_pair(relay, side->pair, false);
}

/* Passes a piece on, and keeps what the other side does not take. False: it is broken. */
static bool pass_piece(struct relay *relay, struct side *other, size_t count)
{
    size_t given = give(other, relay->piece, count);
    if (given == SIZE_MAX)
        return false;
    if (given < count)
        other->pending = (unsigned char *)memory_copy(relay->piece + given, count - given);
    other->pending_from = 0;
    other->pending_to = count - given;
    return true;
}

static void read_side(struct relay *relay, struct side *side)
{
    struct pair *pair = side->pair;
    struct side *other = other_side(side);
    ssize_t count = recv(side->fd, relay->piece, PIECE, 0);
    uint64_t now_ns = clock_now_ns();
    if (count < 0 && is_to_be_continued(errno))
        return;
    const bool is_broken = count < 0 || (count > 0 && !pass_piece(relay, other, (size_t)count));
    if (count > 0)
        conversation_feed(&pair->conversation, side->which, relay->piece, (size_t)count, now_ns);
    if (is_broken)
        close_pair(relay, pair, true);
    else if (count == 0) {
        side->ended = true;
        pass_end(relay, side);
    }
}

static void write_side(struct relay *relay, struct side *side)
{
    size_t given =
        give(side, side->pending + side->pending_from, side->pending_to - side->pending_from);
    if (given == SIZE_MAX) {
        close_pair(relay, side->pair, true);
    } else if ((side->pending_from += given) == side->pending_to) {
        free(side->pending);
        side->pending = NULL;
        pass_end(relay, other_side(side));
    }
}

/* ------------------------------------------------------------------ the beginning */

static void end_connecting(struct relay *relay, struct pair *pair)
{
    struct error ignored;
    pair->connecting = false;
    if (tcp_end(pair->server, pair->sides[CONVERSATION_SERVER].fd, &ignored) == ERROR_NONE)
        return;
    relay->connections.unconnected++;
    close_pair(relay, pair, true);
}

static void begin_pair(struct relay *relay, const struct port *port, int client)
{
    struct pair *pair = memory_new(1, sizeof *pair);
    struct error ignored;
    int on = 1;
    *pair = (struct pair){.server = port->server, .connecting = true};
    LIST_INSERT_HEAD(&relay->open, pair, link);
    relay->connections.open++;
    for (enum conversation_side i = 0; i < CONVERSATION_SIDES; i++)
        pair->sides[i] = (struct side){WATCHED_SIDE, i, pair, .fd = -1};
    conversation_init(&pair->conversation, relay->options.listener, relay->options.context);
    pair->sides[CONVERSATION_CLIENT].fd = client;
    if (tcp_begin(port->server, &pair->sides[CONVERSATION_SERVER].fd, &ignored) != ERROR_NONE) {
        relay->connections.unconnected++;
        close_pair(relay, pair, true);
        return;
    }
    for (int i = 0; i < CONVERSATION_SIDES; i++) {
        (void)setsockopt(pair->sides[i].fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(relay, &pair->sides[i]);
    }
}

/* Ends a connection for which no descriptor is left, with the one that is spared for that. Whether
 * there was one: without a descriptor accept4 fails before it looks. */
static bool turn_away(struct relay *relay, const struct port *port)
{
    close(relay->spare);
    int client = accept4(port->fd, NULL, NULL, SOCK_CLOEXEC);
    if (client >= 0) {
        close(client);
        relay->connections.unaccepted++;
    }
    relay->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return client >= 0;
}

static void accept_clients(struct relay *relay, const struct port *port)
{
    for (;;) {
        int client = accept4(port->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0)
            begin_pair(relay, port, client);
        else if (errno == EMFILE || errno == ENFILE) {
            if (!turn_away(relay, port))
                return;
        } else if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

/* ------------------------------------------------------------------ the loop */

static void handle_side(struct relay *relay, struct side *side, uint32_t events)
{
    struct pair *pair = side->pair;
    if (!pair->closed && pair->connecting)
        end_connecting(relay, pair);
    else if (!pair->closed && side->pending != NULL && (events & ~(uint32_t)EPOLLIN) != 0)
        write_side(relay, side);
    if (!pair->closed && (side->events & EPOLLIN) != 0 && (events & ~(uint32_t)EPOLLOUT) != 0)
        read_side(relay, side);
    for (int i = 0; i < CONVERSATION_SIDES && !pair->closed; i++)
        watch(relay, &pair->sides[i]);
}

enum error_kind relay_poll(struct relay *relay, int descriptor, uint64_t until_ns, bool *woken,
                           struct error *error)
{
    struct epoll_event events[EVENTS_MOST];
    struct pollfd polled[] = {{.fd = relay->epoll, .events = POLLIN},
                              {.fd = descriptor, .events = POLLIN}};
    do {
        if (poll(polled, 2, clock_left_ms(until_ns)) < 0 && errno != EINTR)
            return error_from_errno(error, errno, "relay", "while waiting for bytes");
        *woken = polled[1].revents != 0;
        int count = epoll_wait(relay->epoll, events, EVENTS_MOST, 0);
        for (int i = 0; i < count; i++) {
            void *watched = events[i].data.ptr;
            if (*(enum watched *)watched == WATCHED_PORT)
                accept_clients(relay, watched);
            else
                handle_side(relay, watched, events[i].events);
        }
        free_closed(relay);
    } while (!*woken && clock_now_ns() < until_ns);
    return ERROR_NONE;
}

void relay_free(struct relay *relay)
{
    if (relay == NULL)
        return;
    while (!LIST_EMPTY(&relay->open))
        close_pair(relay, LIST_FIRST(&relay->open), false);
    free_closed(relay);
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        if (relay->ports[i].fd >= 0)
            close(relay->ports[i].fd);
    if (relay->spare >= 0)
        close(relay->spare);
    if (relay->epoll >= 0)
        close(relay->epoll);
    free(relay);
}
