// SPDX-License-Identifier: Apache-2.0
/* Sockets whose number alone does not say whose they are. */
#include "base/clock.h"
#include "client/sockets.h"

#include "tests/support/test.h"

#include <sys/socket.h>
#include <unistd.h>

static int open_socket(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(descriptor >= 0);
    return descriptor;
}

/* As a session does that has connected. Returns the socket that it is to find. */
static int begin(struct socket_owner *socket_owner, struct socket_owners *owners)
{
    struct socket_info_search search;
    socket_owner_init(socket_owner, owners);
    socket_info_look(&search);
    int descriptor = open_socket();
    socket_owner_find(socket_owner, &search);
    return descriptor;
}

TEST(test_each_finds_its_own)
{
    struct socket_owners owners;
    struct socket_owner one, other;
    socket_owners_init(&owners);
    int first = begin(&one, &owners), second = begin(&other, &owners);
    assert_int_equal(one.descriptor, first);
    assert_int_equal(other.descriptor, second);
    socket_owner_confirm(&one);
    assert_true(socket_owner_stands(&one));
    close(first);
    assert_false(socket_owner_stands(&one));
    close(second);
    socket_owner_drop(&one);
    socket_owner_drop(&other);
    socket_owners_deinit(&owners);
}

/* The library closes a socket and opens the next under its number. */
TEST(test_a_reconnect_is_found_under_the_number)
{
    struct socket_owners owners;
    struct socket_owner socket_owner;
    socket_owners_init(&owners);
    int descriptor = begin(&socket_owner, &owners), next = open_socket();
    dup2(next, descriptor);
    close(next);
    assert_false(socket_owner_stands(&socket_owner));
    socket_owner_confirm(&socket_owner);
    assert_true(socket_owner_stands(&socket_owner));
    assert_int_equal(socket_owner.descriptor, descriptor);
    close(descriptor);
    socket_owner_confirm(&socket_owner);
    assert_int_equal(socket_owner.descriptor, -1);
    assert_false(socket_owner_stands(&socket_owner));
    socket_owner_drop(&socket_owner);
    socket_owners_deinit(&owners);
}

/* Another session has got the number first, but not once it has dropped its socket. */
TEST(test_what_is_anothers_is_not_taken)
{
    struct socket_owners owners;
    struct socket_owner one, two, other;
    socket_owners_init(&owners);
    int first = begin(&one, &owners), second = begin(&two, &owners), third = begin(&other, &owners);
    dup2(third, first);
    dup2(third, second);
    socket_owner_confirm(&one);
    assert_int_equal(one.descriptor, -1);
    assert_false(socket_owner_stands(&one));
    socket_owner_drop(&other);
    socket_owner_drop(&other);
    assert_int_equal(other.descriptor, -1);
    socket_owner_confirm(&two);
    assert_true(socket_owner_stands(&two));
    close(first);
    close(second);
    close(third);
    socket_owner_drop(&one);
    socket_owner_drop(&two);
    socket_owners_deinit(&owners);
}

/* Not each of them: many sessions may be opened, one after the other. */
TEST(test_searches_in_vain_share_their_time)
{
    struct socket_owners owners;
    struct socket_owner in_vain[20], found;
    struct socket_info_search search;
    socket_owners_init(&owners);
    uint64_t begun_ns = clock_now_ns();
    for (int i = 0; i < 20; i++) {
        socket_owner_init(&in_vain[i], &owners);
        socket_info_look(&search);
        socket_owner_find(&in_vain[i], &search);
        assert_int_equal(in_vain[i].descriptor, -1);
    }
    assert_true(clock_now_ns() - begun_ns < 20 * NS_PER_S); /* each with its own: 40 s */
    int descriptor = begin(&found, &owners);
    assert_int_equal(found.descriptor, descriptor);
    assert_int_equal(owners.searched_ns, 0);
    close(descriptor);
    socket_owner_drop(&found);
    for (int i = 0; i < 20; i++)
        socket_owner_drop(&in_vain[i]);
    socket_owners_deinit(&owners);
}
