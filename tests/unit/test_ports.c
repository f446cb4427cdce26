// SPDX-License-Identifier: Apache-2.0
/* Ports are held until the servers listen: nobody gets one by chance, and a server can listen. */
#include "tests/support/port.h"
#include "tests/support/test.h"

#include "servers/internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#define SERVERS 3

static struct server_ports ports[SERVERS];
static struct ports_reservation reservation;

FIXTURE(set_up)
{
    struct error error;
    return ports_reserve(0, SERVERS, ports, &reservation, &error) != ERROR_NONE;
}

FIXTURE(tear_down)
{
    ports_let_go(&reservation);
    reservation.count = 0;
    return 0;
}

static const struct sockaddr *loopback(uint16_t port)
{
    static struct sockaddr_in address;
    address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return (const struct sockaddr *)&address;
}

/* A socket that has bound it, as a server does or as anybody else; -1 if it is taken. */
static int try_to_bind(uint16_t port, int as_server)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &as_server, sizeof as_server), 0);
    if (bind(fd, loopback(port), sizeof(struct sockaddr_in)) == 0)
        return fd;
    assert_int_equal(errno, EADDRINUSE);
    close(fd);
    return -1;
}

static int try_to_connect(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int os_error = connect(fd, loopback(port), sizeof(struct sockaddr_in)) == 0 ? 0 : errno;
    close(fd);
    return os_error;
}

TEST_BETWEEN(held_ports_are_given_to_nobody_else, set_up, tear_down)
{
    for (unsigned i = 0; i < SERVERS; i++) {
        assert_int_equal(try_to_bind(ports[i].client, 0), -1);
        assert_int_equal(try_to_bind(ports[i].peer, 0), -1);
        assert_int_equal(try_to_bind(ports[i].election, 0), -1);
        assert_int_equal(try_to_connect(ports[i].client), ECONNREFUSED);
    }
    ports_let_go(&reservation);
    reservation.count = 0;
    int fd = try_to_bind(ports[0].client, 0);
    assert_true(fd >= 0);
    close(fd);
}

TEST_BETWEEN(a_server_listens_on_a_held_port, set_up, tear_down)
{
    int server = try_to_bind(ports[0].client, 1);
    assert_true(server >= 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(try_to_connect(ports[0].client), 0);
    close(server);
}

/* By a server that listens. */
TEST(a_given_port_that_is_taken_is_told)
{
    struct server_ports given[1];
    struct ports_reservation none = {.count = 0};
    struct error error;
    uint16_t taken;
    int fd = port_listen(&taken);
    assert_int_equal(ports_reserve(taken, 1, given, &none, &error), ERROR_PORT_TAKEN);
    assert_int_equal(none.count, 0);
    close(fd);
}
