// SPDX-License-Identifier: Apache-2.0
#include "tests/support/port.h"

#include <netinet/in.h>

int port_take(uint16_t *port)
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

int port_listen(uint16_t *port)
{
    int fd = port_take(port);
    assert_int_equal(listen(fd, 16), 0);
    return fd;
}
