// SPDX-License-Identifier: Apache-2.0
/* The server of a handle, of a library that is not there. */

#include "client/library.h"

#include "tests/support/test.h"

#include <arpa/inet.h>
#include <net/if.h>

static struct sockaddr_storage peer;

static struct sockaddr *connected_host(zhandle_t *zk, struct sockaddr *address, socklen_t *length)
{
    (void)zk;
    if (peer.ss_family == AF_UNSPEC)
        return NULL;
    *length = peer.ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    memcpy(address, &peer, *length);
    return address;
}

static void expect(const char *server)
{
    const struct library library = {.get_connected_host = connected_host};
    char text[CLIENT_SERVER_SIZE + 1];
    memset(text, '!', sizeof text);
    library_server(&library, NULL, text, CLIENT_SERVER_SIZE);
    assert_string_equal(text, server);
    assert_int_equal(text[CLIENT_SERVER_SIZE], '!');
}

static void put_ipv6(const char *address, uint32_t zone)
{
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(65535), .sin6_scope_id = zone};
    assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
    memcpy(&peer, &v6, sizeof v6);
}

TEST(test_an_address_of_either_family)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(2181)};
    assert_int_equal(inet_pton(AF_INET, "10.0.0.7", &v4.sin_addr), 1);
    memcpy(&peer, &v4, sizeof v4);
    expect("10.0.0.7:2181");
    put_ipv6("2001:db8:1111:2222:3333:4444:5555:6666", 0);
    expect("[2001:db8:1111:2222:3333:4444:5555:6666]:65535");
    put_ipv6("::1", 0);
    expect("[::1]:65535");
    peer.ss_family = AF_UNSPEC;
    expect("");
}

/* Two servers may have the same address in different zones, and differ by them alone. */
TEST(test_a_zone_is_told)
{
    char name[IF_NAMESIZE], server[CLIENT_SERVER_SIZE];
    if (if_indextoname(1, name) == NULL)
        skip();
    put_ipv6("fe80:1111:2222:3333:4444:5555:6666:7777", 1);
    snprintf(server, sizeof server, "[fe80:1111:2222:3333:4444:5555:6666:7777%%%s]:65535", name);
    expect(server);
}

TEST(test_the_longest_fits)
{
    assert_true(CLIENT_SERVER_SIZE >=
                strlen("[]:65535") + INET6_ADDRSTRLEN - 1 + strlen("%") + IF_NAMESIZE - 1 + 1);
}
