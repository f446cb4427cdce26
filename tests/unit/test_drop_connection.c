// SPDX-License-Identifier: Apache-2.0
/* What has arrived on a connection whose next reply is to be lost. */

#include "client/sockets.h"

#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOTIFICATION (-1) /* the xids that ZooKeeper gives to what answers no request … */
#define PING         (-2)
#define LENGTH       24 /* … and a message's, without its own four bytes */

static int ends[2];

FIXTURE(set_up)
{
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

FIXTURE(tear_down)
{
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static void arrive(int32_t xid)
{
    uint32_t message[1 + LENGTH / 4] = {htonl(LENGTH), htonl((uint32_t)xid)};
    assert_int_equal(write(ends[1], message, sizeof message), sizeof message);
}

TEST_BETWEEN(test_nothing_is_nothing, set_up, tear_down)
{
    assert_int_equal(drop_connection_look(ends[0]), DROP_CONNECTION_NOTHING);
}

TEST_BETWEEN(test_a_notification_is_no_reply, set_up, tear_down)
{
    arrive(NOTIFICATION);
    assert_int_equal(drop_connection_look(ends[0]), DROP_CONNECTION_OTHER);
}

/* Else the connection would be cut before the server has carried the request out. */
TEST_BETWEEN(test_the_answer_to_a_ping_is_no_reply, set_up, tear_down)
{
    arrive(PING);
    assert_int_equal(drop_connection_look(ends[0]), DROP_CONNECTION_OTHER);
}

TEST_BETWEEN(test_a_reply_is_found_behind_others, set_up, tear_down)
{
    arrive(NOTIFICATION);
    arrive(PING);
    arrive(0);
    assert_int_equal(drop_connection_look(ends[0]), DROP_CONNECTION_REPLY);
}

/* Else the library would fail to send, and reconnect, before its handle is closed. */
TEST_BETWEEN(test_a_library_left_with_an_idle_connection_may_send, set_up, tear_down)
{
    char byte = 1;
    int other_end;
    assert_true(drop_connection_off(ends[0], NULL, 0, &other_end));
    assert_int_equal(recv(ends[1], &byte, 1, 0), 0);
    assert_int_equal(recv(ends[0], &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    while (send(ends[0], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        ;
    assert_int_equal(errno, EAGAIN);
    drop_connection_end(other_end);
    assert_int_equal(send(ends[0], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(poll(&(struct pollfd){.fd = ends[0], .events = POLLOUT}, 1, 0), 1);
    close(other_end);
}

TEST_BETWEEN(test_a_library_may_find_its_connection_ended, set_up, tear_down)
{
    char byte = 1;
    assert_true(drop_connection_off(ends[0], NULL, 0, NULL));
    assert_int_equal(recv(ends[1], &byte, 1, 0), 0);
    assert_int_equal(recv(ends[0], &byte, 1, 0), 0);
    assert_int_equal(send(ends[0], &byte, 1, MSG_NOSIGNAL), -1);
}
