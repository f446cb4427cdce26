// SPDX-License-Identifier: Apache-2.0
/* What servers answer: identities, counters, connections, in whatever pieces it comes, and every
 * word that they have counted is counted; and which socket of a host listens. The servers that are
 * asked are sockets of this process. */
#include "base/clock.h"
#include "base/text.h"
#include "bench/inspect/internal.h"
#include "fleet/server_counters.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"

#include "tests/support/folder.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ srvr and mntr */

TEST(versions_and_modes_are_cut_out)
{
    static const struct {
        const char *says, *version;
        enum role role;
        uint64_t zxid;
    } cases[] = {
        {"Zookeeper version: 3.8.0-5a02a05e, built on 2022-02-25 08:49 UTC\nZxid: 0x2a\n"
         "Mode: follower\n",
         "3.8.0", ROLE_FOLLOWER, 42},
        {"Zookeeper version: 3.10.0-SNAPSHOT-ab, built on x\nOutstanding: 0\nMode: read-only\n",
         "3.10.0-SNAPSHOT", ROLE_UNKNOWN, 0},
        {"Zookeeper version: 3.9.2\nNode count: 5\n", "3.9.2", ROLE_UNKNOWN, 0},
        {"Zookeeper version: 3.8.0--1, built on 2022-02-25\n", "3.8.0", ROLE_UNKNOWN, 0},
        {"Zookeeper version: 3.4.13-6--1, built on 10/28/2023\n", "3.4.13-6", ROLE_UNKNOWN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct four_letter_identity identity;
        four_letter_read_identity(cases[i].says, &identity);
        assert_string_equal(identity.version, cases[i].version);
        assert_int_equal(identity.role, cases[i].role);
        assert_int_equal(identity.read_only, i == 1);
        assert_int_equal(identity.zxid, cases[i].zxid);
        assert_true(identity.talks);
    }
}

/* Powers of two, so that a sum tells which of them are in it. Requests outstanding are below zero
 * when the server has answered one before it counts it in. */
#define MNTR_WITHOUT_LAST                                                                          \
    "zk_version\t3.8.0--1, built on x\nzk_avg_latency\t0.0\nzk_packets_received\t1\n"              \
    "zk_num_alive_connections\t4\nzk_outstanding_requests\t-1\nzk_server_state\tleader\n"          \
    "zk_znode_count\t16\nzk_watch_count\t32\nzk_ephemerals_count\t64\n"                            \
    "zk_sum_node_created_watch_count\t128\nzk_sum_node_deleted_watch_count\t256\n"                 \
    "zk_cnt_node_changed_watch_count\t7\nzk_sum_node_changed_watch_count\t512\n"                   \
    "zk_sum_node_children_watch_count\t1024\nzk_cnt_updatelatency\t2048\n"                         \
    "zk_connection_request_count\t8\n"

static const struct endpoint an_endpoint = {.host = "127.0.0.1", .port = 2181};

TEST(counters_are_read_by_their_names)
{
    struct four_letter_counters counters;
    struct error error;
    assert_int_equal(four_letter_read_counters(&an_endpoint,
                                               MNTR_WITHOUT_LAST
                                               "zk_cnt_readlatency\t18446744073709551615\n",
                                               &counters, &error),
                     ERROR_NONE);
    assert_int_equal(counters.packets_received, 1);
    assert_int_equal(counters.connections, 4);
    assert_int_equal(counters.connects, 8);
    assert_int_equal(counters.znode_count, 16);
    assert_int_equal(counters.watch_count, 32);
    assert_int_equal(counters.ephemerals_count, 64);
    assert_int_equal(counters.notifications, 128 + 256 + 512 + 1024);
    assert_int_equal(counters.writes, 2048);
    assert_int_equal(counters.outstanding, 0);
    assert_true(counters.reads == UINT64_MAX && counters.fsync_ms == FOUR_LETTER_UNREPORTED);
    assert_int_equal(counters.role, ROLE_LEADER);
}

TEST(a_missing_counter_is_named_and_not_zero)
{
    static const char *const answers[] = {
        MNTR_WITHOUT_LAST,
        MNTR_WITHOUT_LAST "zk_cnt_readlatency\t\n",
        MNTR_WITHOUT_LAST "zk_cnt_readlatency\t-1\n",
        MNTR_WITHOUT_LAST "zk_cnt_readlatency_per_namespace\t1\n",
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct four_letter_counters counters;
        struct error error = {.detail = ""};
        assert_int_equal(four_letter_read_counters(&an_endpoint, answers[i], &counters, &error),
                         ERROR_ZOOKEEPER);
        assert_non_null(strstr(error.detail, "zk_cnt_readlatency "));
    }
}

TEST(a_mode_has_its_role_and_other_words_have_none)
{
    static const char *const others[] = {"",      "unknown", "reconnected",
                                         "leade", "leaders", "Leader"};
    struct four_letter_identity identity;
    char answer[64];
    for (enum role role = ROLE_STANDALONE; role <= ROLE_OBSERVER; role++) {
        snprintf(answer, sizeof answer, "Zookeeper version: 3\nMode: %s\n", role_words[role]);
        four_letter_read_identity(answer, &identity);
        assert_int_equal(identity.role, role);
        assert_int_equal(role_leads(role), role == ROLE_STANDALONE || role == ROLE_LEADER);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(answer, sizeof answer, "Zookeeper version: 3\nMode: %s\n", others[i]);
        four_letter_read_identity(answer, &identity);
        assert_int_equal(identity.role, ROLE_UNKNOWN);
    }
}

/* An answer that is cut off came while the server closed its connections; one that lacks something
 * is the same a moment later. */
TEST(what_an_election_causes_may_pass)
{
    static const struct {
        struct error error;
        bool may_pass;
    } cases[] = {
        {{ERROR_REFUSED, ECONNREFUSED, "", ""}, true},
        {{ERROR_CLOSED, 0, "", ""}, true},
        {{ERROR_NOT_SERVING, 0, "", ""}, true},
        {{ERROR_NO_ANSWER, 0, "", ""}, true},
        {{ERROR_NOT_ZOOKEEPER, 0, "", ""}, true},
        {{ERROR_ZOOKEEPER, ECONNRESET, "", ""}, true},
        {{ERROR_ZOOKEEPER, 0, "", ""}, false},
        {{ERROR_NOT_WHITELISTED, 0, "", ""}, false},
        {{ERROR_SYSTEM, EMFILE, "", ""}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(four_letter_may_pass(&cases[i].error), cases[i].may_pass);
}

/* ------------------------------------------------------------------ cons */

static struct connections connections;

FIXTURE(end)
{
    free(connections.list);
    connections = (struct connections){0};
    return 0;
}

static void expect(int64_t session, size_t server, const char *client)
{
    const struct connection *found = connections_find(&connections, session);
    assert_non_null(found);
    assert_int_equal(found->session, session);
    assert_int_equal(found->server, server);
    assert_string_equal(found->client, client);
}

#define REST                                                                                       \
    "lop=PING,est=1700000000000,to=30000,lcxid=0x1,lzxid=0xffffffffffffffff,lresp=7,llat=0,"       \
    "minlat=0,avglat=0,maxlat=9)\n"

TEST_BETWEEN(sessions_are_found_on_their_servers, NULL, end)
{
    connections_read(&connections, 0,
                     " /127.0.0.1:54321[1](queued=0,recved=7,sent=7,sid=0x200000000000abc," REST
                     " /10.0.0.7:1000[1](queued=0,recved=7,sent=7,sid=0x100000000000abc," REST
                     " /127.0.0.1:54399[0](queued=0,recved=1,sent=0)\n\n");
    connections_read(&connections, 1,
                     " /0:0:0:0:0:0:0:1:54321[1](queued=0,recved=7,sent=7,sid=0x1," REST
                     " /[0:0:0:0:0:0:0:1]:54322[1](queued=0,recved=7,sent=7,sid=0x2," REST
                     " client.test/10.0.0.7:54323[1](queued=0,recved=7,sent=7,sid=0x3," REST
                     " /127.0.0.1:5[1](queued=0,recved=7,sent=7,sid=0xff00000000000004," REST);
    assert_int_equal(connections.count, 6);
    expect(0x200000000000abc, 0, "127.0.0.1:54321");
    expect(0x100000000000abc, 0, "10.0.0.7:1000");
    expect(1, 1, "0:0:0:0:0:0:0:1:54321");
    expect(2, 1, "[0:0:0:0:0:0:0:1]:54322");
    expect(3, 1, "10.0.0.7:54323");
    expect((int64_t)0xff00000000000004, 1, "127.0.0.1:5");
    assert_null(connections_find(&connections, 0x300000000000000));
}

TEST_BETWEEN(what_is_no_connection_says_nothing, NULL, end)
{
    static const char *const answers[] = {
        "", "\n\n", "nonsense ,sid=0x1,\n(,sid=0x2,\n/,sid=0x3,\n (a/b),sid=0x4,\n/a(,sid=0x5,",
        "[1]/a(,sid=0x6,\n"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        connections_read(&connections, 0, answers[i]);
    assert_int_equal(connections.count, 0);
    assert_null(connections_find(&connections, 0));
}

/* ------------------------------------------------------------------ what is installed */

static void add_jar(const char *folder, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fclose(file);
}

TEST(a_home_has_the_jar_of_one_server)
{
    char home[] = "/tmp/zkherd-test-XXXXXX", lib[64];
    struct install install;
    struct error error = {.detail = ""};
    assert_non_null(mkdtemp(home));
    snprintf(lib, sizeof lib, "%s/lib", home);
    assert_int_equal(mkdir(lib, 0700), 0);
    add_jar(lib, "zookeeper-jute-3.8.0.jar");
    assert_int_equal(install_find_zookeeper(home, &install, &error), ERROR_NO_ZOOKEEPER);
    add_jar(lib, "zookeeper-3.8.0.jar");
    assert_int_equal(install_find_zookeeper(home, &install, &error), ERROR_NONE);
    assert_string_equal(install.home, home);
    add_jar(home, "zookeeper-3.4.13.jar");
    assert_int_equal(install_find_zookeeper(home, &install, &error), ERROR_NO_ZOOKEEPER);
    assert_string_equal(error.detail, "it has the jars of several servers: leave one");
    assert_int_equal(folder_remove(home), 0);
}

/* By half a JVM's other memory too large, with that; by half of it small enough, without. */
TEST(servers_need_more_memory_than_their_heaps)
{
    char text[256];
    struct error error = {.detail = ""};
    assert_true(text_read(text, sizeof text, "/proc/meminfo"));
    uint64_t available_kib =
        strtoull(strstr(text, "MemAvailable:") + strlen("MemAvailable:"), NULL, 10);
    unsigned servers = ENSEMBLE_SERVERS_MAX, most = (unsigned)(available_kib / 1024 / servers);
    assert_true(most > SERVER_OVERHEAD_MIB);
    assert_int_equal(ensemble_check_memory(servers, most - SERVER_OVERHEAD_MIB / 2, &error),
                     ERROR_NO_MEMORY);
    assert_int_equal(ensemble_check_memory(servers, most - 3 * SERVER_OVERHEAD_MIB / 2, &error),
                     ERROR_NONE);
}

/* ------------------------------------------------------------------ listeners */

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

/* ------------------------------------------------------------------ polls */

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
    assert_true(answer()->counters.snapshots == FOUR_LETTER_UNREPORTED);
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
