// SPDX-License-Identifier: Apache-2.0
/* The server counters asks how far each server is, and knows when one is behind; and it holds what
 * the servers counted against what the sessions did. */

#include "client/client.h"
#include "fleet/server_counters.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEADER 2 /* of three: the last */

static void state_changed(void *owner, enum client_state state)
{
    *(bool *)owner = state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    assert_int_equal(reply->status, ZK_OK);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static bool follow(struct server_counters *counters, uint64_t *mark)
{
    struct error error;
    bool reached = false;
    uint64_t longest_ns;
    assert_int_equal(server_counters_follow(counters, mark, &reached, &longest_ns, &error),
                     ERROR_NONE);
    return reached;
}

TEST(test_a_server_that_is_behind_is_waited_for)
{
    struct sim_options options = sim_options_default();
    struct connect_string servers = {.count = 3};
    struct server_counters counters = {.servers = &servers};
    struct client *client = NULL;
    struct error error;
    bool established = false;
    options.servers = 3;
    for (uint16_t i = 0; i < 3; i++)
        servers.endpoints[i] = (struct endpoint){.host = "simulated", .port = i + 1U};
    assert_int_equal(sim_new(&options, &counters.sim, &error), ERROR_NONE);
    assert_int_equal(
        sim_open(counters.sim, LEADER, 10000, 1, &listener, &established, &client, &error),
        ERROR_NONE);
    while (!established || sim_zxid(counters.sim, 0) == 0)
        assert_true(sim_step(counters.sim));

    uint64_t before = sim_zxid(counters.sim, LEADER);
    client_create(client, "/a", "", 0, PERSISTENT);
    while (sim_zxid(counters.sim, LEADER) == before)
        assert_true(sim_step(counters.sim));
    uint64_t mark = 0;
    assert_false(follow(&counters, &mark));
    assert_true(mark > before);
    while (sim_zxid(counters.sim, 0) == before || sim_zxid(counters.sim, 1) == before) {
        assert_false(follow(&counters, &mark));
        assert_true(sim_step(counters.sim));
    }

    /* What others write meanwhile does not move the mark; every word is a packet. */
    while (client->outstanding)
        assert_true(sim_step(counters.sim));
    client_create(client, "/b", "", 0, PERSISTENT);
    while (sim_zxid(counters.sim, LEADER) == mark)
        assert_true(sim_step(counters.sim));
    struct server_counters_reading reading, after;
    assert_int_equal(server_counters_read(&counters, &reading, &error), ERROR_NONE);
    uint64_t words = counters.words;
    assert_true(follow(&counters, &mark));
    assert_int_equal(counters.words, words + 3);
    assert_int_equal(server_counters_read(&counters, &after, &error), ERROR_NONE);
    assert_int_equal(server_counters_subtract(&reading, &after).packets_received, 0);
    sim_free(counters.sim);
}

/* ------------------------------------------------------------------ a ping under way */

static int listening;

/* Answers a question with these counters, and with one packet more than the last time. */
static void answer(unsigned packets, unsigned reads, unsigned outstanding)
{
    char text[1000], word[8];
    int connection = accept(listening, NULL, NULL);
    int length =
        snprintf(text, sizeof text,
                 "zk_version\t3.8.0\nzk_sum_node_created_watch_count\t0\n"
                 "zk_sum_node_deleted_watch_count\t0\nzk_sum_node_children_watch_count\t0\n"
                 "zk_sum_node_changed_watch_count\t0\nzk_cnt_updatelatency\t2\n"
                 "zk_cnt_readlatency\t%u\nzk_packets_received\t%u\nzk_watch_count\t0\n"
                 "zk_ephemerals_count\t0\nzk_num_alive_connections\t2\n"
                 "zk_connection_request_count\t1\nzk_znode_count\t5\n"
                 "zk_outstanding_requests\t%u\n",
                 reads, packets, outstanding);
    while (read(connection, word, sizeof word) > 0)
        ;
    if (write(connection, text, (size_t)length) != length)
        _exit(1);
    close(connection);
}

/* The server has received the ping before the first question, and answers it after the third. */
TEST(test_a_ping_that_waits_at_a_server_is_waited_for)
{
    struct connect_string servers = {.endpoints = {{.host = "127.0.0.1"}}, .count = 1};
    struct server_counters counters = {.servers = &servers};
    struct server_counters_reading reading;
    struct error error;
    listening = port_listen(&servers.endpoints[0].port);
    pid_t server = fork();
    assert_true(server >= 0);
    for (unsigned i = 0; server == 0; i++)
        answer(10 + i, i < 3 ? 3 : 4, i < 3 ? 1 : 0);
    assert_int_equal(server_counters_read(&counters, &reading, &error), ERROR_NONE);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    close(listening);
    assert_int_equal(counters.words, 5);
    assert_int_equal(reading.reads, 4);
    assert_int_equal(reading.packets_received, 9);
}

/* Answers are owed to the fleet's 8 sessions and the set-up session, or to nobody who is known. */
TEST(test_answers_to_strangers_are_not_awaited)
{
    struct server_counters counters = {.companions = 0};
    struct server_counters_reading before = {.known = true, .connections = 8 + 1};
    struct server_counters_count count = {
        .known = true, .writes = 3, .reads = 4, .connects = 1, .packets_received = 9};
    assert_true(server_counters_await_answers(&counters, &before, 8, &count));
    count.known = false;
    assert_false(server_counters_await_answers(&counters, &before, 8, &count));
    count.known = true;
    counters.companions = 1;
    assert_false(server_counters_await_answers(&counters, &before, 8, &count));
    counters.companions = 0;
    before.connections++;
    assert_false(server_counters_await_answers(&counters, &before, 8, &count));
    before.connections--;
    count.reads++;
    assert_false(server_counters_await_answers(&counters, &before, 8, &count));
}

/* ------------------------------------------------------------------ reconciled */

#define WRITES        12
#define READS         36
#define NOTIFICATIONS 7
#define PINGS         5

/* What sessions counted, with each of the kinds that make a counter up … */
static const struct tally counted = {{[TALLY_CREATE] = 4,
                                      [TALLY_CREATE_FAILED] = 1,
                                      [TALLY_EXISTS] = 10,
                                      [TALLY_GET] = 9,
                                      [TALLY_GET_CHILDREN] = 11,
                                      [TALLY_SET] = 3,
                                      [TALLY_DELETE] = 3,
                                      [TALLY_DELETE_FAILED] = 1,
                                      [TALLY_MULTI] = 2,
                                      [TALLY_SYNC] = 6,
                                      [TALLY_NOTIFICATION] = NOTIFICATIONS,
                                      [TALLY_NOTIFICATION_SPURIOUS] = 2,
                                      [TALLY_NAMES_LISTED] = 100,
                                      [TALLY_BYTES_SENT] = 1000,
                                      [TALLY_BYTES_RECEIVED] = 1000}};

/* … and what the servers count then, with so many pings. */
static struct server_counters_count count_with(uint64_t pings)
{
    return (struct server_counters_count){.known = true,
                                          .writes = WRITES,
                                          .reads = READS + pings,
                                          .notifications = NOTIFICATIONS,
                                          .packets_received = WRITES + READS + pings};
}

/* Of so many pings at most: the counter that differs. */
static enum server_counters_counter reconciled(struct server_counters_count count,
                                               uint64_t pings_most)
{
    uint64_t servers, sessions;
    return server_counters_reconcile(&count, &counted, pings_most, &servers, &sessions);
}

TEST(test_equal_counts_agree_whatever_pings_there_are)
{
    for (uint64_t pings = 0; pings <= PINGS; pings++)
        assert_int_equal(reconciled(count_with(pings), PINGS), server_counters_agree);
}

TEST(test_a_write_more_or_less_is_told)
{
    struct server_counters_count more = count_with(0), less = more;
    more.writes++;
    less.writes--;
    assert_int_equal(reconciled(more, PINGS), server_counters_writes);
    assert_int_equal(reconciled(less, PINGS), server_counters_writes);
}

TEST(test_a_read_that_no_server_answered_is_told)
{
    struct server_counters_count less = count_with(0);
    less.reads--;
    less.packets_received--;
    assert_int_equal(reconciled(less, PINGS), server_counters_reads);
}

/* More than pings can account for: a request that no session has counted. */
TEST(test_a_read_that_is_not_counted_is_no_ping)
{
    uint64_t servers = 0, sessions = 0;
    struct server_counters_count more = count_with(PINGS + 1);
    assert_int_equal(server_counters_reconcile(&more, &counted, PINGS, &servers, &sessions),
                     server_counters_reads);
    assert_int_equal(servers, READS + PINGS + 1);
    assert_int_equal(sessions, READS + PINGS);
}

TEST(test_a_notification_more_or_less_is_told)
{
    struct server_counters_count more = count_with(0), less = more;
    more.notifications++;
    less.notifications--;
    assert_int_equal(reconciled(more, PINGS), server_counters_notifications);
    assert_int_equal(reconciled(less, PINGS), server_counters_notifications);
}

TEST(test_a_packet_more_or_less_is_told)
{
    struct server_counters_count more = count_with(PINGS), less = more;
    more.packets_received++;
    less.packets_received--;
    assert_int_equal(reconciled(more, PINGS), server_counters_packets_received);
    assert_int_equal(reconciled(less, PINGS), server_counters_packets_received);
}

TEST(test_the_first_stranger_makes_servers_shared)
{
    assert_false(
        server_counters_is_shared(&(struct server_counters_reading){.connections = 8 + 1}, 8));
    assert_true(
        server_counters_is_shared(&(struct server_counters_reading){.connections = 8 + 2}, 8));
}

/* A server that was asked in vain may have counted the question. */
TEST(test_what_a_server_was_asked_again_is_not_compared)
{
    const struct server_counters_reading once = {.known = true};
    const struct server_counters_reading again = {.known = true, .asked_again = true};
    assert_true(server_counters_subtract(&once, &once).known);
    assert_false(server_counters_subtract(&once, &again).known);
    assert_false(server_counters_subtract(&again, &once).known);
    assert_true(server_counters_subtract(&once, &again).asked_again);
}

TEST(test_what_is_no_request_of_a_session_is_taken_out)
{
    struct reconcile_facts facts = {.servers = count_with(0),
                                    .sessions = &counted,
                                    .setup_session_stayed = true,
                                    .exits = 2,
                                    .reconnects = 4};
    facts.servers.writes += 2;
    facts.servers.packets_received += 2 + 4;
    assert_int_equal(reconcile(&facts).reconciled, RECONCILED_YES);
}

TEST(test_the_close_of_a_session_is_waited_for)
{
    struct server_counters_count count = count_with(0);
    assert_false(server_counters_is_behind(&count, &counted, 0));
    assert_true(server_counters_is_behind(&count, &counted, 2));
    count.writes++;
    assert_true(server_counters_is_behind(&count, &counted, 2));
    count.writes++;
    assert_false(server_counters_is_behind(&count, &counted, 2));
}

/* As long as each of them was answered on a connection that it has kept. */
TEST(test_the_requests_of_the_own_session_are_left_out)
{
    const struct server_counters_reading before = {
        .known = true, .own = {.requests = 10, .writes = 4, .losses = 1}};
    struct server_counters_reading after = {.known = true,
                                            .writes = 20,
                                            .reads = 30,
                                            .packets_received = 50,
                                            .own = {.requests = 15, .writes = 6, .losses = 1}};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    assert_false(count.has_own);
    assert_int_equal(count.writes, 18);
    assert_int_equal(count.reads, 27);
    assert_int_equal(count.packets_received, 45);
    after.own_outstanding = 1;
    count = server_counters_subtract(&before, &after);
    assert_true(count.has_own);
    assert_int_equal(count.writes, 20);
    assert_int_equal(count.reads, 30);
    assert_int_equal(count.packets_received, 50);
    after.own_outstanding = 0;
    after.own.losses = 2;
    assert_true(server_counters_subtract(&before, &after).has_own);
}

TEST(test_each_server_has_its_own_times)
{
    const struct server_counters_reading before = {.known = true,
                                                   .cpu_known = true,
                                                   .servers = 3,
                                                   .fsync_of_ms = {5, 5, FOUR_LETTER_UNTOLD},
                                                   .cpu_of_ns = {100, 200, 300},
                                                   .at_ns = 1000};
    const struct server_counters_reading after = {.known = true,
                                                  .cpu_known = true,
                                                  .servers = 3,
                                                  .fsync_of_ms = {7, 4, 9},
                                                  .cpu_of_ns = {110, 230, 300},
                                                  .at_ns = 5000};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    assert_int_equal(count.servers, 3);
    assert_int_equal(count.span_ns, 4000);
    assert_int_equal(count.cpu_of_ns[0], 10);
    assert_int_equal(count.cpu_of_ns[1], 30);
    assert_int_equal(count.cpu_of_ns[2], 0);
    assert_int_equal(count.fsync_of_ms[0], 2);
    assert_true(count.fsync_of_ms[1] == FOUR_LETTER_UNTOLD); /* it was started anew */
    assert_true(count.fsync_of_ms[2] == FOUR_LETTER_UNTOLD);
}
