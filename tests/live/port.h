// SPDX-License-Identifier: Apache-2.0
/*
 * port: a port of 127.0.0.1 that is nobody else's while its socket is open. Who connects to it is
 * refused until it listens.
 */
#ifndef TESTS_PORT_H
#define TESTS_PORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* The socket, for the caller to close. */
static inline int port_take(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* The same, and it listens. */
static inline int port_listen(uint16_t *port)
{
    int fd = port_take(port);
    assert_int_equal(listen(fd, 16), 0);
    return fd;
}

#endif
