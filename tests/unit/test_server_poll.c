// SPDX-License-Identifier: Apache-2.0
/* Servers are asked while nobody waits: what they answer, whenever they do, is read; every word
 * that they have counted is counted, and where that is not known it is said. The servers are
 * sockets of this process. */
#include "tests/support/port.h"

#include "base/clock.h"
#include "fleet/server_counters.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <poll.h>
#include <unistd.h>

#define MNTR                                                                                       \
    "zk_version\t3.8.0--1, built on x\nzk_server_state\tfollower\nzk_packets_received\t1\n"        \
    "zk_num_alive_connections\t4\nzk_outstanding_requests\t-1\nzk_uptime\t900\n"                   \
    "zk_sum_fsynctime\t77\n"                                                                       \
    "zk_znode_count\t16\nzk_watch_count\t32\nzk_ephemerals_count\t64\n"                            \
    "zk_sum_node_created_watch_count\t1\nzk_sum_node_deleted_watch_count\t2\n"                     \
    "zk_sum_node_changed_watch_count\t3\nzk_sum_node_children_watch_count\t4\n"                    \
    "zk_cnt_updatelatency\t2048\nzk_connection_request_count\t8\nzk_cnt_readlatency\t7\n"
#define SRVR          "Zookeeper version: 3.8.0--1, built on x\nZxid: 0x1\nMode: leader\n"
#define NO_QUORUM     "This ZooKeeper instance is not currently serving requests\n"
#define REFUSAL(word) word " is not executed because it is not in the whitelist.\n"

static struct event_loop *events;
static struct loop loop;
static struct connect_string servers;
static struct server_counters counters;
static struct server_poll *poll_of;
static int listener;

FIXTURE(set_up)
{
    struct error error;
    if (event_loop_new(1, NULL, &events, &error) != ERROR_NONE)
        return -1;
    loop = (struct loop){.event_loop = events};
    servers = (struct connect_string){.endpoints = {{.host = "127.0.0.1"}}, .count = 1};
    listener = port_listen(&servers.endpoints[0].port);
    counters = (struct server_counters){.servers = &servers};
    return server_poll_new(&counters, &loop, &poll_of, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(tear_down)
{
    server_poll_free(poll_of);
    event_loop_free(events);
    close(listener);
    return 0;
}

static const struct server_poll_answer *answer(void)
{
    return &server_poll_answers(poll_of)[0];
}

static bool is_ready(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    return poll(&ready, 1, 0) > 0;
}

static void turn(void)
{
    struct error error;
    assert_int_equal(loop_turn(&loop, clock_now_ns() + 5 * NS_PER_MS, &error), ERROR_NONE);
}

static void settle(void)
{
    while (!server_poll_is_settled(poll_of))
        turn();
}

/* Asks, and takes the question, which must be this word and nothing more. */
static int ask(const char *word)
{
    char asked[16] = "";
    ssize_t length = 0, got = 1;
    server_poll_ask(poll_of);
    assert_false(server_poll_is_settled(poll_of));
    int connection = accept(listener, NULL, NULL);
    assert_true(connection >= 0);
    while (got > 0) {
        turn();
        if (!is_ready(connection))
            continue;
        got = read(connection, asked + length, sizeof asked - 1 - (size_t)length);
        length += got;
    }
    assert_string_equal(asked, word);
    return connection;
}

static void say(int connection, const char *text)
{
    assert_int_equal(write(connection, text, strlen(text)), strlen(text));
}

static void reply(const char *word, const char *text)
{
    int connection = ask(word);
    say(connection, text);
    close(connection);
    settle();
}

TEST_BETWEEN(an_answer_is_read_in_whatever_pieces_it_comes, set_up, tear_down)
{
    int connection = ask("mntr");
    say(connection, "zk_vers");
    turn();
    assert_false(server_poll_is_settled(poll_of));
    say(connection, MNTR + strlen("zk_vers"));
    close(connection);
    settle();
    assert_int_equal(answer()->state, SERVER_POLL_ANSWERED);
    assert_true(answer()->has_counters);
    assert_int_equal(answer()->role, ROLE_FOLLOWER);
    assert_int_equal(answer()->counters.writes, 2048);
    assert_int_equal(answer()->counters.notifications, 10);
    assert_int_equal(answer()->counters.outstanding, 0);
    assert_int_equal(answer()->counters.uptime_ms, 900);
    assert_true(answer()->counters.snapshots == FOUR_LETTER_UNTOLD);
    assert_int_equal(answer()->counters.fsync_ms, 77);
    assert_true(answer()->asked_ns <= answer()->came_ns);
    assert_int_equal(counters.words, 1);
    assert_false(counters.asked_again);
}

TEST_BETWEEN(a_server_that_owes_an_answer_is_asked_nothing_else, set_up, tear_down)
{
    int connection = ask("mntr");
    uint64_t asked_ns = answer()->asked_ns;
    server_poll_ask(poll_of);
    turn();
    assert_false(is_ready(listener));
    assert_int_equal(answer()->state, SERVER_POLL_OWES);
    assert_true(answer()->asked_ns == asked_ns);
    say(connection, MNTR);
    close(connection);
    settle();
    assert_int_equal(counters.words, 1);
    assert_false(counters.asked_again);
    reply("mntr", MNTR);
    assert_int_equal(counters.words, 2);
}

TEST_BETWEEN(nobody_there_is_absent, set_up, tear_down)
{
    close(listener);
    server_poll_ask(poll_of);
    settle();
    assert_int_equal(answer()->state, SERVER_POLL_ABSENT);
    assert_int_equal(counters.words, 0);
    assert_true(counters.asked_again);
    listener = dup(0);
}

static void assert_in_doubt(const char *text, enum server_poll_state expected)
{
    reply("mntr", text);
    assert_int_equal(answer()->state, expected);
    assert_int_equal(counters.words, 0);
    assert_true(counters.asked_again);
}

TEST_BETWEEN(without_a_quorum_it_does_not_serve, set_up, tear_down)
{
    assert_in_doubt(NO_QUORUM, SERVER_POLL_UNSERVED);
}

TEST_BETWEEN(silence_is_no_answer, set_up, tear_down)
{
    assert_in_doubt("", SERVER_POLL_UNKNOWN);
}

TEST_BETWEEN(one_that_began_anew_is_told, set_up, tear_down)
{
    reply("mntr", MNTR);
    reply("mntr", MNTR);
    assert_false(counters.asked_again);
    char text[] = MNTR;
    memcpy(strstr(text, "zk_uptime\t900"), "zk_uptime\t899", strlen("zk_uptime\t899"));
    reply("mntr", text);
    assert_int_equal(counters.words, 3);
    assert_true(counters.asked_again);
}

/* Then its role is asked for alone, and if that is refused, too, nothing more. */
TEST_BETWEEN(what_the_whitelist_refuses_is_not_asked_again, set_up, tear_down)
{
    reply("mntr", REFUSAL("mntr"));
    assert_int_equal(answer()->state, SERVER_POLL_UNKNOWN);
    reply("srvr", SRVR);
    assert_int_equal(answer()->state, SERVER_POLL_ANSWERED);
    assert_false(answer()->has_counters);
    assert_int_equal(answer()->role, ROLE_LEADER);
    reply("srvr", REFUSAL("srvr"));
    assert_int_equal(answer()->state, SERVER_POLL_UNKNOWN);
    server_poll_ask(poll_of);
    assert_true(server_poll_is_settled(poll_of));
    assert_false(is_ready(listener));
}

/* Before 3.6 a server has a role and no such counters. */
TEST_BETWEEN(an_answer_that_lacks_a_counter_is_not_asked_for_again, set_up, tear_down)
{
    reply("mntr", "zk_version\t3.4.13, built on x\nzk_packets_received\t1\n");
    assert_int_equal(answer()->state, SERVER_POLL_UNKNOWN);
    reply("srvr", SRVR);
    assert_int_equal(answer()->role, ROLE_LEADER);
}

TEST_BETWEEN(a_question_that_is_given_up_may_have_been_counted, set_up, tear_down)
{
    int connection = ask("mntr");
    server_poll_free(poll_of);
    poll_of = NULL;
    assert_true(counters.asked_again);
    close(connection);
}
