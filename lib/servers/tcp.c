// SPDX-License-Identifier: Apache-2.0
#include "servers/tcp.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool tcp_await(int fd, short events, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now_ns = clock_now_ns();
        uint64_t left_ms = now_ns < deadline_ns ? (deadline_ns - now_ns) / NS_PER_MS + 1 : 0;
        struct pollfd wait = {.fd = fd, .events = events};
        int ready = poll(&wait, 1, left_ms < 60000 ? (int)left_ms : 60000);
        if (ready > 0)
            return true;
        if (clock_now_ns() >= deadline_ns)
            return false;
    }
}

/* Begins to connect: returns 0 or an errno, and the socket in *fd unless it is -1. */
static int begin_to_connect(const struct addrinfo *address, int *fd)
{
    *fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (*fd < 0)
        return errno;
    int os_error = connect(*fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (os_error == 0 || os_error == EINPROGRESS || os_error == EINTR)
        return 0;
    close(*fd);
    *fd = -1;
    return os_error;
}

/* How the connect of a socket that has become writable ended: 0 or an errno. */
static int error_of(int connection)
{
    int os_error = 0;
    socklen_t size = sizeof os_error;
    return getsockopt(connection, SOL_SOCKET, SO_ERROR, &os_error, &size) == 0 ? os_error : errno;
}

/* Returns 0 and the connection in *fd, or an errno; ETIMEDOUT at the deadline. */
static int connect_to_address(const struct addrinfo *address, uint64_t deadline_ns, int *fd)
{
    int connection, os_error = begin_to_connect(address, &connection);
    if (connection < 0)
        return os_error;
    os_error = tcp_await(connection, POLLOUT, deadline_ns) ? error_of(connection) : ETIMEDOUT;
    if (os_error == 0)
        *fd = connection;
    else
        close(connection);
    return os_error;
}

/* Tries one address after another, each for its share of the time that is left, so that an address
 * that drops packets does not hide the next. */
static int connect_to_any(const struct addrinfo *addresses, uint64_t deadline_ns, int *fd)
{
    uint64_t count = 0;
    int os_error = ETIMEDOUT;
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next)
        count++;
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        uint64_t now_ns = clock_now_ns();
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        os_error = connect_to_address(address, now_ns + left_ns / count--, fd);
        if (os_error == 0)
            break;
    }
    return os_error;
}

static enum error_kind raise_unresolved(const struct endpoint *endpoint, int code,
                                        struct error *error)
{
    if (code == EAI_SYSTEM)
        return error_from_errno(error, errno, endpoint->host, "while resolving the host name");
    if (code == EAI_MEMORY)
        return error_raise(error, ERROR_NO_MEMORY, 0, endpoint->host,
                           "while resolving the host name");
    return error_raise(error, ERROR_UNRESOLVED, 0, endpoint->host, "%s", gai_strerror(code));
}

static enum error_kind raise_unconnected(const struct endpoint *endpoint, int os_error,
                                         struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE];
    endpoint_format(endpoint, subject, sizeof subject);
    switch (os_error) {
    case ECONNREFUSED:
        return error_raise(error, ERROR_REFUSED, os_error, subject, "%s", "");
    /* The server has accepted and closed the connection before this process saw that it was
     * accepted: a reset has arrived, or an end before it. */
    case ECONNRESET:
    case EPIPE:
        return error_raise(error, ERROR_CLOSED, 0, subject, "%s", "");
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return error_raise(error, ERROR_NO_ANSWER, os_error, subject,
                           "it could not be connected to");
    default:
        return error_from_errno(error, os_error, subject, "while connecting");
    }
}

/* The addresses are for the caller to freeaddrinfo. Returns 0 or getaddrinfo's error. */
static int look_up(const struct endpoint *endpoint, int flags, struct addrinfo **addresses)
{
    char service[8];
    snprintf(service, sizeof service, "%u", endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    return getaddrinfo(endpoint->host, service, &hints, addresses);
}

enum error_kind tcp_connect(const struct endpoint *endpoint, uint64_t deadline_ns, int *fd,
                            struct error *error)
{
    struct addrinfo *addresses;
    int code = look_up(endpoint, 0, &addresses);
    if (code != 0)
        return raise_unresolved(endpoint, code, error);
    int os_error = connect_to_any(addresses, deadline_ns, fd);
    freeaddrinfo(addresses);
    return os_error == 0 ? ERROR_NONE : raise_unconnected(endpoint, os_error, error);
}

enum error_kind tcp_begin(const struct endpoint *endpoint, int *fd, struct error *error)
{
    struct addrinfo *addresses;
    int code = look_up(endpoint, AI_NUMERICHOST, &addresses);
    if (code != 0)
        return raise_unresolved(endpoint, code, error);
    int os_error = begin_to_connect(addresses, fd);
    freeaddrinfo(addresses);
    return os_error == 0 ? ERROR_NONE : raise_unconnected(endpoint, os_error, error);
}

enum error_kind tcp_end(const struct endpoint *endpoint, int fd, struct error *error)
{
    int os_error = error_of(fd);
    return os_error == 0 ? ERROR_NONE : raise_unconnected(endpoint, os_error, error);
}

/* ------------------------------------------------------------------ names */

/* Connects to the name, and writes the address of the peer. */
static enum error_kind find_address(const struct endpoint *endpoint, uint64_t deadline_ns,
                                    char *host, socklen_t size, struct error *error)
{
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    int fd = -1;
    enum error_kind kind = tcp_connect(endpoint, deadline_ns, &fd, error);
    if (kind != ERROR_NONE)
        return kind;
    int os_error = getpeername(fd, (struct sockaddr *)&peer, &length) == 0 ? 0 : errno;
    close(fd);
    if (os_error != 0)
        return raise_unconnected(endpoint, os_error, error);
    int code = getnameinfo((struct sockaddr *)&peer, length, host, size, NULL, 0, NI_NUMERICHOST);
    return code == 0 ? ERROR_NONE : raise_unresolved(endpoint, code, error);
}

enum error_kind tcp_resolve(struct endpoint *endpoint, uint64_t timeout_ns, struct error *error)
{
    char host[sizeof endpoint->host];
    struct addrinfo *address = NULL;
    bool is_address = look_up(endpoint, AI_NUMERICHOST, &address) == 0 &&
                      getnameinfo(address->ai_addr, address->ai_addrlen, host, sizeof host, NULL, 0,
                                  NI_NUMERICHOST) == 0;
    enum error_kind kind = ERROR_NONE;
    if (address != NULL)
        freeaddrinfo(address);
    if (!is_address)
        kind = find_address(endpoint, clock_now_ns() + timeout_ns, host, sizeof host, error);
    if (kind != ERROR_NONE || strcmp(endpoint->host, host) == 0)
        return kind;
    memcpy(endpoint->name, endpoint->host, sizeof endpoint->name);
    memcpy(endpoint->host, host, sizeof endpoint->host);
    return ERROR_NONE;
}
