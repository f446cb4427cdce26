// SPDX-License-Identifier: Apache-2.0
#include "servers/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum error_kind ports_check(uint16_t first, unsigned servers, struct error *error)
{
    unsigned last = first + servers - 1;
    char subject[32];
    if (last <= UINT16_MAX)
        return ERROR_NONE;
    snprintf(subject, sizeof subject, "port %u", first);
    return error_raise(
        error, ERROR_USAGE, 0, subject,
        "%u servers take %u ports in a row, and 65535 is the highest: give %u or less", servers,
        servers, UINT16_MAX - servers + 1);
}

/* A *port of 0 becomes a free one. Returns 0 or an errno. */
static int bind_port(int fd, uint16_t *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    /* A given port is bound as the servers bind it: ended connections do not hold it. A free port
     * must not be one that another socket holds, and the server is to bind it beside this one. */
    int reuse = *port != 0, yes = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) != 0 ||
        bind(fd, (struct sockaddr *)&address, size) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return errno;
    *port = ntohs(address.sin_port);
    return 0;
}

static enum error_kind reserve(struct ports_reservation *reservation, uint16_t *port,
                               struct error *error)
{
    char subject[32];
    snprintf(subject, sizeof subject, "127.0.0.1:%u", *port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_from_errno(error, errno, subject, "while looking for a free port");
    reservation->sockets[reservation->count++] = fd;
    int os_error = bind_port(fd, port);
    if (os_error == EADDRINUSE && *port != 0)
        return error_raise(error, ERROR_PORT_TAKEN, 0, subject, "%s", "");
    return os_error == 0
               ? ERROR_NONE
               : error_from_errno(error, os_error, subject, "while looking for a free port");
}

void ports_let_go(const struct ports_reservation *reservation)
{
    for (size_t i = 0; i < reservation->count; i++)
        close(reservation->sockets[i]);
}

/* The ports for clients first, so that a given port is not found for another use. */
enum error_kind ports_reserve(uint16_t first, unsigned servers, struct server_ports *ports,
                              struct ports_reservation *reservation, struct error *error)
{
    struct ports_reservation made = {.count = 0};
    enum error_kind kind = ERROR_NONE;
    for (unsigned i = 0; kind == ERROR_NONE && i < servers; i++) {
        ports[i].client = first == 0 ? 0 : (uint16_t)(first + i);
        kind = reserve(&made, &ports[i].client, error);
    }
    for (unsigned i = 0; kind == ERROR_NONE && i < servers; i++) {
        ports[i].peer = ports[i].election = 0;
        kind = reserve(&made, &ports[i].peer, error);
        if (kind == ERROR_NONE)
            kind = reserve(&made, &ports[i].election, error);
    }
    if (kind == ERROR_NONE)
        *reservation = made;
    else
        ports_let_go(&made);
    return kind;
}
