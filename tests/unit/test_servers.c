// SPDX-License-Identifier: Apache-2.0
/* What servers say, read without a server: identities, counters, connections, roles; and the ports
 * of those that are to be started. */
#include "tests/support/port.h"
#include "tests/support/test.h"

#include "servers/connections.h"
#include "servers/four_letter.h"
#include "servers/internal.h"
#include "servers/role.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

/* ------------------------------------------------------------------ srvr and mntr */

TEST(versions_and_modes_are_cut_out)
{
    static const struct {
        const char *says, *version, *mode;
        uint64_t zxid;
    } cases[] = {
        {"Zookeeper version: 3.8.0-5a02a05e, built on 2022-02-25 08:49 UTC\nZxid: 0x2a\n"
         "Mode: follower\n",
         "3.8.0", "follower", 42},
        {"Zookeeper version: 3.10.0-SNAPSHOT-ab, built on x\nOutstanding: 0\nMode: read-only\n",
         "3.10.0-SNAPSHOT", "read-only", 0},
        {"Zookeeper version: 3.9.2\nNode count: 5\n", "3.9.2", "unknown", 0},
        {"Zookeeper version: 3.8.0--1, built on 2022-02-25\n", "3.8.0", "unknown", 0},
        {"Zookeeper version: 3.4.13-6--1, built on 10/28/2023\n", "3.4.13-6", "unknown", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct four_letter_identity identity;
        four_letter_read_identity(cases[i].says, &identity);
        assert_string_equal(identity.version, cases[i].version);
        assert_string_equal(identity.mode, cases[i].mode);
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

static const struct endpoint endpoint = {.host = "127.0.0.1", .port = 2181};

TEST(counters_are_read_by_their_names)
{
    struct four_letter_counters counters;
    struct error error;
    assert_int_equal(four_letter_read_counters(
                         &endpoint, MNTR_WITHOUT_LAST "zk_cnt_readlatency\t18446744073709551615\n",
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
    assert_true(counters.reads == UINT64_MAX && counters.fsync_ms == FOUR_LETTER_UNTOLD);
    assert_string_equal(counters.mode, "leader");
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
        assert_int_equal(four_letter_read_counters(&endpoint, answers[i], &counters, &error),
                         ERROR_ZOOKEEPER);
        assert_non_null(strstr(error.detail, "zk_cnt_readlatency "));
    }
}

/* ------------------------------------------------------------------ roles */

TEST(a_mode_has_its_role_and_other_words_have_none)
{
    static const char *const words[] = {"", "unknown", "reconnected", "leade", "leaders", "Leader"};
    static const enum role roles[] = {ROLE_STANDALONE, ROLE_LEADER, ROLE_FOLLOWER, ROLE_OBSERVER,
                                      ROLE_READ_ONLY};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        assert_int_equal(role_of_mode(role_word(roles[i])), roles[i]);
        assert_int_equal(role_leads(roles[i]), i < 2);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_int_equal(role_of_mode(words[i]), ROLE_UNKNOWN);
}

/* ------------------------------------------------------------------ cons */

static struct connect_string servers = {.count = 2};
static struct connections connections;

FIXTURE(begin)
{
    connections_init(&connections, &servers);
    return 0;
}

FIXTURE(end)
{
    connections_deinit(&connections);
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

TEST_BETWEEN(sessions_are_found_on_their_servers, begin, end)
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

TEST_BETWEEN(what_is_no_connection_says_nothing, begin, end)
{
    static const char *const answers[] = {
        "", "\n\n", "nonsense ,sid=0x1,\n(,sid=0x2,\n/,sid=0x3,\n (a/b),sid=0x4,\n/a(,sid=0x5,",
        "[1]/a(,sid=0x6,\n"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        connections_read(&connections, 0, answers[i]);
    assert_int_equal(connections.count, 0);
    assert_null(connections_find(&connections, 0));
}

/* ------------------------------------------------------------------ ports */

#define SERVERS 3

static struct server_ports ports[SERVERS];
static struct ports_reservation reservation;

FIXTURE(reserve)
{
    struct error error;
    return ports_reserve(0, SERVERS, ports, &reservation, &error) != ERROR_NONE;
}

FIXTURE(let_go)
{
    ports_let_go(&reservation);
    return 0;
}

/* A socket that has bound it, as a server does or as anybody else; -1 if it is taken. */
static int try_to_bind(uint16_t port, int as_server)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &as_server, sizeof as_server), 0);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    assert_int_equal(errno, EADDRINUSE);
    close(fd);
    return -1;
}

/* Nobody else gets one by chance, and a server can listen. */
TEST_BETWEEN(ports_are_held_until_servers_listen, reserve, let_go)
{
    for (unsigned i = 0; i < SERVERS; i++) {
        assert_int_equal(try_to_bind(ports[i].client, 0), -1);
        assert_int_equal(try_to_bind(ports[i].peer, 0), -1);
        assert_int_equal(try_to_bind(ports[i].election, 0), -1);
    }
    int server = try_to_bind(ports[0].client, 1);
    assert_true(server >= 0);
    assert_int_equal(listen(server, 1), 0);
    ports_let_go(&reservation);
    int fd = try_to_bind(ports[1].client, 0);
    assert_true(fd >= 0);
    close(fd);
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
