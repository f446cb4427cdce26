// SPDX-License-Identifier: Apache-2.0
/* How far each server is, and which of them is behind; what the servers counted, held against what
 * the sessions did; and whose doing a difference may be. */

#include "base/clock.h"
#include "client/client.h"
#include "fleet/server_counters.h"
#include "tests/support/ask.h"
#include "tests/support/ignore.h"
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

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    assert_int_equal(reply->status, ZK_OK);
}

static const struct client_listener listener = {state_changed, ignore_sent, replied, ignore_event};

static bool follow(struct server_counters *counters, uint64_t *mark)
{
    struct error error;
    bool reached = false;
    uint64_t longest_ns;
    assert_int_equal(server_counters_follow(counters, mark, &reached, &longest_ns, &error),
                     ERROR_NONE);
    return reached;
}

/* A session at the leader of three simulated servers, which have all applied its opening. */
static struct client *open_session(struct server_counters *counters)
{
    static struct connect_string servers = {.count = 3};
    struct sim_options options = sim_options_default();
    struct client *client = NULL;
    struct error error;
    bool established = false;
    *counters = (struct server_counters){.servers = &servers};
    options.servers = 3;
    for (uint16_t i = 0; i < 3; i++)
        servers.endpoints[i] = (struct endpoint){.host = "simulated", .port = i + 1U};
    assert_int_equal(sim_new(&options, &counters->sim, &error), ERROR_NONE);
    assert_int_equal(
        sim_open(counters->sim, LEADER, 10000, 1, &listener, &established, &client, &error),
        ERROR_NONE);
    while (!established || sim_zxid(counters->sim, 0) == 0)
        assert_true(sim_step(counters->sim));
    return client;
}

TEST(test_a_server_that_is_behind_is_waited_for)
{
    struct server_counters counters;
    struct client *client = open_session(&counters);
    struct error error;
    uint64_t before = sim_zxid(counters.sim, LEADER);
    ask(client, request_create("/a", "", 0, PERSISTENT));
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
    while (client->outstanding > 0)
        assert_true(sim_step(counters.sim));
    ask(client, request_create("/b", "", 0, PERSISTENT));
    while (sim_zxid(counters.sim, LEADER) == mark)
        assert_true(sim_step(counters.sim));
    struct server_counters_count reading, after;
    assert_int_equal(server_counters_read(&counters, &reading, &error), ERROR_NONE);
    uint64_t words = counters.words;
    assert_true(follow(&counters, &mark));
    assert_int_equal(counters.words, words + 3);
    assert_int_equal(server_counters_read(&counters, &after, &error), ERROR_NONE);
    assert_int_equal(server_counters_subtract(&reading, &after).packets_received, 0);
    sim_free(counters.sim);
}

/* A server that has yet to apply the create of one does not have it; the others do. */
TEST(test_the_ephemerals_are_those_that_every_server_has)
{
    const struct request create = request_create("/a", NULL, 0, EPHEMERAL);
    struct server_counters_count before, during, after;
    struct server_counters counters;
    struct client *client = open_session(&counters);
    struct error error;
    assert_int_equal(server_counters_read(&counters, &before, &error), ERROR_NONE);
    uint64_t zxid = sim_zxid(counters.sim, LEADER);
    client_submit(client, &create, 0);
    while (sim_zxid(counters.sim, LEADER) == zxid)
        assert_true(sim_step(counters.sim));
    assert_int_equal(server_counters_read(&counters, &during, &error), ERROR_NONE);
    while (sim_zxid(counters.sim, 0) == zxid || sim_zxid(counters.sim, 1) == zxid)
        assert_true(sim_step(counters.sim));
    assert_int_equal(server_counters_read(&counters, &after, &error), ERROR_NONE);
    assert_int_equal(server_counters_subtract(&before, &during).ephemerals, 0);
    assert_int_equal(server_counters_subtract(&before, &after).ephemerals, 1);
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

/* The counters of a server that closes this many connections without an answer, and has a ping to
 * answer at as many questions. */
static struct server_counters read_from(int closed, unsigned waits,
                                        struct server_counters_count *reading)
{
    static struct connect_string servers = {.endpoints = {{.host = "127.0.0.1"}}, .count = 1};
    struct server_counters counters = {.servers = &servers};
    struct error error;
    listening = port_listen(&servers.endpoints[0].port);
    pid_t server = fork();
    assert_true(server >= 0);
    for (int i = 0; server == 0 && i < closed; i++)
        close(accept(listening, NULL, NULL));
    for (unsigned i = 0; server == 0; i++)
        answer(10 + i, i < waits ? 3 : 4, i < waits);
    assert_int_equal(server_counters_read(&counters, reading, &error), ERROR_NONE);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    close(listening);
    return counters;
}

/* The server has received the ping before the first question, and answers it after the third. */
TEST(test_a_ping_that_waits_at_a_server_is_waited_for)
{
    struct server_counters_count reading;
    assert_int_equal(read_from(0, 3, &reading).words, 5);
    assert_int_equal(reading.reads, 4);
    assert_int_equal(reading.packets_received, 9);
}

/* As a server does in an election; the question that it did not answer it may have counted. */
TEST(test_a_server_that_closes_the_connection_is_asked_again)
{
    struct server_counters_count reading;
    const struct server_counters counters = read_from(1, 0, &reading);
    assert_true(reading.known && reading.asked_again);
    assert_int_equal(counters.questions, counters.words + 1);
}

/* Answers are owed to the fleet's 8 sessions and the set-up session, or to nobody who is known. */
TEST(test_answers_to_strangers_are_not_awaited)
{
    struct server_counters counters = {.companions = 0};
    struct server_counters_count before = {.known = true, .connections = 8 + 1};
    struct server_counters_count count = {
        .known = true, .writes = 3, .reads = 4, .connects = 1, .packets_received = 9};
    for (int differs = 0; differs < 5; differs++) {
        counters.companions = differs == 1;
        before.connections = 8 + (differs == 2 ? 2 : 1);
        count.known = differs != 3;
        count.reads = differs == 4 ? 5 : 4;
        assert_int_equal(server_counters_await_answers(&counters, &before, 8, &count),
                         differs == 0);
    }
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

/* One more or less of each; and of pings those that there may be. A read less is one that no server
 * answered, a read beyond the pings a request that no session has counted. */
TEST(test_the_counter_that_differs_is_told)
{
    static const struct {
        uint64_t pings;
        int writes, reads, notifications, packets;
        enum server_counters_counter differs;
    } cases[] = {
        {0, 0, 0, 0, 0, server_counters_agree},
        {PINGS, 0, 0, 0, 0, server_counters_agree},
        {PINGS + 1, 0, 0, 0, 0, server_counters_reads},
        {0, +1, 0, 0, 0, server_counters_writes},
        {0, -1, 0, 0, 0, server_counters_writes},
        {0, 0, -1, 0, -1, server_counters_reads},
        {0, 0, 0, +1, 0, server_counters_notifications},
        {0, 0, 0, -1, 0, server_counters_notifications},
        {PINGS, 0, 0, 0, +1, server_counters_packets_received},
        {PINGS, 0, 0, 0, -1, server_counters_packets_received},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct server_counters_count count = count_with(cases[i].pings);
        count.writes += (uint64_t)cases[i].writes;
        count.reads += (uint64_t)cases[i].reads;
        count.notifications += (uint64_t)cases[i].notifications;
        count.packets_received += (uint64_t)cases[i].packets;
        const struct reconcile_result result =
            reconcile(&(struct reconcile_facts){.servers = count,
                                                .sessions = &counted,
                                                .are_private = true,
                                                .setup_session_stayed = true,
                                                .pings_most = PINGS});
        assert_int_equal(result.counter, cases[i].differs);
        if (cases[i].pings > PINGS) {
            assert_int_equal(result.servers, READS + PINGS + 1);
            assert_int_equal(result.sessions, READS + PINGS);
        }
    }
}

TEST(test_the_first_stranger_makes_servers_shared)
{
    assert_false(
        server_counters_is_shared(&(struct server_counters_count){.connections = 8 + 1}, 8));
    assert_true(
        server_counters_is_shared(&(struct server_counters_count){.connections = 8 + 2}, 8));
}

/* A server that was asked in vain may have counted the question. */
TEST(test_what_a_server_was_asked_again_is_not_compared)
{
    const struct server_counters_count once = {.known = true};
    const struct server_counters_count again = {.known = true, .asked_again = true};
    assert_true(server_counters_subtract(&once, &once).known);
    assert_false(server_counters_subtract(&once, &again).known);
    assert_false(server_counters_subtract(&again, &once).known);
    assert_true(server_counters_subtract(&once, &again).asked_again);
}

TEST(test_a_server_that_counts_anew_is_found)
{
    const struct server_counters_count before = {
        .servers = 2, .packets_received = 9, .uptime_of_ms = {FOUR_LETTER_UNREPORTED, 5000}};
    struct server_counters_count after = before;
    after.at_ns = 60 * NS_PER_S;
    after.uptime_of_ms[1] = 35000;
    assert_false(server_counters_subtract(&before, &after).began_anew);
    after.uptime_of_ms[1] = 34999;
    assert_true(server_counters_subtract(&before, &after).began_anew);
    after.uptime_of_ms[1] = 65000;
    after.packets_received = 8;
    assert_true(server_counters_subtract(&before, &after).began_anew);
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
    const struct server_counters_count before = {.known = true,
                                                 .own = {.requests = 10, .writes = 4, .losses = 1}};
    struct server_counters_count after = {.known = true,
                                          .writes = 20,
                                          .reads = 30,
                                          .packets_received = 50,
                                          .own = {.requests = 15, .writes = 6, .losses = 1}};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    assert_false(count.has_own);
    assert_int_equal(count.writes, 18);
    assert_int_equal(count.reads, 27);
    assert_int_equal(count.packets_received, 45);
    after.has_own = true;
    count = server_counters_subtract(&before, &after);
    assert_true(count.has_own);
    assert_int_equal(count.writes, 20);
    assert_int_equal(count.reads, 30);
    assert_int_equal(count.packets_received, 50);
    after.has_own = false;
    after.own.losses = 2;
    assert_true(server_counters_subtract(&before, &after).has_own);
}

TEST(test_each_server_has_its_own_times)
{
    const struct server_counters_count before = {.known = true,
                                                 .cpu_known = true,
                                                 .servers = 3,
                                                 .fsync_of_ms = {5, 5, FOUR_LETTER_UNREPORTED},
                                                 .cpu_of_ns = {100, 200, 300},
                                                 .at_ns = 1000};
    const struct server_counters_count after = {.known = true,
                                                .cpu_known = true,
                                                .servers = 3,
                                                .fsync_of_ms = {7, 3, 9},
                                                .cpu_of_ns = {110, 230, 300},
                                                .at_ns = 5000};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    assert_int_equal(count.servers, 3);
    assert_int_equal(count.at_ns, 4000);
    assert_int_equal(count.cpu_of_ns[0], 10);
    assert_int_equal(count.cpu_of_ns[1], 30);
    assert_int_equal(count.cpu_of_ns[2], 0);
    assert_int_equal(count.fsync_of_ms[0], 2);
    assert_true(count.fsync_of_ms[1] == FOUR_LETTER_UNREPORTED); /* it was started anew */
    assert_true(count.fsync_of_ms[2] == FOUR_LETTER_UNREPORTED);
}

/* ------------------------------------------------------------------ whose doing a difference is */

static const struct tally sessions = {
    {[TALLY_CREATE] = 3, [TALLY_EXISTS] = 2, [TALLY_NOTIFICATION] = 4}};

/* How a case differs from private servers that counted what the sessions did. */
struct difference {
    bool open, shared, setup_moved, own_outstanding, companions, authenticates, death;
    int writes, reads, notified, packets, connects;
    unsigned losses, reconnects, exits, pings;
};

static struct reconcile_facts facts_of(const struct difference *by)
{
    return (struct reconcile_facts){
        .servers = {.known = true,
                    .has_own = by->own_outstanding,
                    .writes = (uint64_t)(3 + by->writes),
                    .reads = (uint64_t)(2 + by->reads),
                    .notifications = (uint64_t)(4 + by->notified),
                    .packets_received = (uint64_t)(5 + by->packets),
                    .connects = (uint64_t)by->connects},
        .sessions = &sessions,
        .are_private = !by->open,
        .is_shared = by->shared,
        .has_companions = by->companions,
        .had_death = by->death,
        .exits = by->exits,
        .reconnects = by->reconnects,
        .authenticates = by->authenticates,
        .losses = by->losses,
        .setup_session_stayed = !by->setup_moved,
        .pings_most = by->pings,
    };
}

static void assert_outcome(const struct reconcile_facts *facts, enum reconciled expected,
                           const char *why)
{
    struct reconcile_result result = reconcile(facts);
    assert_int_equal(result.reconciled, expected);
    if (strstr(result.why, why) == NULL || (result.why[0] != '\0') != (why[0] != '\0'))
        fail_msg("'%s', not '%s'", result.why, why);
}

#define YES      .expected = RECONCILED_YES, .why = ""
#define NO       .expected = RECONCILED_NO, .why = ""
#define NA(x)    .expected = RECONCILED_NA, .why = (x)
#define LOST     NA("lost their connections")
#define STRANGER NA("not zkherd's was connected to a private server"), .strangers = true

TEST(a_difference_has_its_reason)
{
    static const struct {
        struct difference by;
        enum reconciled expected;
        const char *why;
        bool strangers;
    } cases[] = {
        {{.writes = 0}, YES},
        {{.open = true}, YES},
        /* No other client can have used private servers, and none makes servers count less. */
        {{.writes = 1, .packets = 1}, NO},
        {{.open = true, .writes = 1, .packets = 1},
         NA("the servers counted more writes than the sessions")},
        {{.notified = -1}, NO},
        {{.open = true, .notified = -1}, NO},
        {{.reads = 1, .packets = 1}, NO},
        {{.reads = 1, .packets = 1, .pings = 1}, YES},
        /* Messages in transit on a lost connection; no excuse is needed where nothing differs. */
        {{.notified = -1, .losses = 1}, LOST},
        {{.notified = -1, .packets = 1, .reconnects = 1}, LOST},
        {{.packets = 1, .reconnects = 1}, YES},
        /* Credentials come on each new connection, and are no reads. */
        {{.packets = 4, .reconnects = 2}, LOST},
        {{.packets = 4, .reconnects = 2, .authenticates = true}, YES},
        {{.packets = 2, .reconnects = 2, .authenticates = true}, LOST},
        /* The library sets watches again by itself, with a request that counts as a read. */
        {{.reads = 1, .packets = 2, .reconnects = 1}, YES},
        {{.reads = 2, .packets = 3, .reconnects = 1}, LOST},
        /* zkherd's own session. */
        {{.packets = 1, .connects = 1, .setup_moved = true}, NA("zkherd's own session")},
        {{.own_outstanding = true}, YES},
        {{.own_outstanding = true, .writes = 1},
         NA("a request of zkherd's own session had no reply yet")},
        {{.shared = true, .packets = 9}, STRANGER},
        {{.packets = 1, .connects = 1}, STRANGER},
        {{.open = true, .shared = true}, NA("other clients are connected")},
        /* It is known how often sessions connected, but not how often they tried. */
        {{.packets = 1, .connects = 2, .reconnects = 1}, YES},
        /* What servers sent to a session that was about to die is received by no session. */
        {{.death = true, .exits = 1, .writes = 1, .packets = 1, .notified = 1}, YES},
        {{.death = true, .exits = 1, .writes = 1, .packets = 1, .notified = -1}, NO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct reconcile_facts facts = facts_of(&cases[i].by);
        assert_outcome(&facts, cases[i].expected, cases[i].why);
        assert_int_equal(reconcile(&facts).had_strangers, cases[i].strangers);
    }
}

TEST(the_counter_that_differs_has_both_counts)
{
    const struct reconcile_facts facts = facts_of(&(struct difference){.writes = 1, .packets = 1});
    const struct reconcile_result result = reconcile(&facts);
    assert_int_equal(result.counter, server_counters_writes);
    assert_int_equal(result.servers, 4);
    assert_int_equal(result.sessions, 3);
}

TEST(servers_without_counters_are_not_held_against_anything)
{
    struct reconcile_facts facts = {.sessions = &sessions, .are_private = true};
    assert_outcome(&facts, RECONCILED_NA, "the servers do not report their counters (mntr)");
    struct error unreported = {.kind = ERROR_NOT_WHITELISTED, .subject = "zk2:2181"};
    facts.unreported = &unreported;
    assert_outcome(&facts, RECONCILED_NA,
                   "zk2:2181 refuses mntr, which has its counters: add it to "
                   "4lw.commands.whitelist");
    unreported.kind = ERROR_ZOOKEEPER;
    assert_outcome(&facts, RECONCILED_NA,
                   "zk2:2181 does not report its counters: mntr has them from ZooKeeper 3.6 on");
    facts.servers.asked_again = true;
    assert_outcome(&facts, RECONCILED_NA, "at once, as at an election");
    facts.is_shared = true;
    assert_false(reconcile(&facts).had_strangers);
}

TEST(packets_of_others_are_those_that_no_ping_explains)
{
    static const struct {
        struct difference by;
        bool unknown;
        int64_t packets;
    } cases[] = {
        {{.packets = 0}, false, 0},
        {{.packets = 5, .pings = 2, .reconnects = 1, .exits = 1}, false, 0},
        {{.packets = 6, .pings = 2, .reconnects = 1, .exits = 1}, false, 1},
        {{.packets = 6, .companions = true}, false, -1},
        {{.packets = 6, .own_outstanding = true}, false, -1},
        {{.packets = 6}, true, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct reconcile_facts facts = facts_of(&cases[i].by);
        facts.servers.known = !cases[i].unknown;
        assert_int_equal(reconcile(&facts).others_packets, cases[i].packets);
    }
}
