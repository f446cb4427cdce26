// SPDX-License-Identifier: Apache-2.0
/* Which process listens at an endpoint. */
#include "servers/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/test.h"

static const char table[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:0885 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 "
    "11\n"
    "   1: 00000000:0885 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "12\n"
    "   2: 0100007F:0886 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "13\n";

TEST(the_inode_is_that_of_the_socket_that_listens)
{
    assert_int_equal(listener_parse_inode(table, 2181), 12);
    assert_int_equal(listener_parse_inode(table, 2182), 13);
    assert_int_equal(listener_parse_inode(table, 2183), 0);
}

TEST(an_address_of_version_6_is_longer)
{
    assert_int_equal(
        listener_parse_inode("   0: 00000000000000000000000001000000:0885 "
                             "00000000000000000000000000000000:0000 0A 00000000:00000000 "
                             "00:00000000 00000000     0        0 14 1 0\n",
                             2181),
        14);
}

TEST(a_process_of_this_host_is_found_while_it_listens)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pid_t pid = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    struct endpoint endpoint = {.host = "127.0.0.1", .port = ntohs(address.sin_port)};
    assert_int_equal(listener_find(&endpoint, &pid), LISTENER_HERE);
    assert_int_equal(pid, getpid());
    close(fd);
    pid = 0;
    assert_int_equal(listener_find(&endpoint, &pid), LISTENER_UNKNOWN);
    assert_int_equal(pid, 0);
}

TEST(an_address_of_another_host_is_not_here)
{
    pid_t pid = 0;
    const struct endpoint endpoint = {.host = "192.0.2.1", .port = 2181};
    assert_int_not_equal(listener_find(&endpoint, &pid), LISTENER_HERE);
    assert_int_equal(pid, 0);
}
