// SPDX-License-Identifier: Apache-2.0
/* Where sessions are, from what servers answer to cons. */

#include "servers/connections.h"

#include "tests/support/test.h"

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

static void read_answer(size_t server, const char *answer)
{
    connections_read(&connections, server, answer);
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
    read_answer(0, " /127.0.0.1:54321[1](queued=0,recved=7,sent=7,sid=0x200000000000abc," REST
                   " /10.0.0.7:1000[1](queued=0,recved=7,sent=7,sid=0x100000000000abc," REST
                   " /127.0.0.1:54399[0](queued=0,recved=1,sent=0)\n\n");
    read_answer(1, " /127.0.0.1:54322[1](queued=0,recved=7,sent=7,sid=0x100000000000001," REST
                   " /127.0.0.1:54398[0](queued=0,recved=1,sent=0)\n\n");
    assert_int_equal(connections.count, 3);
    expect(0x200000000000abc, 0, "127.0.0.1:54321");
    expect(0x100000000000abc, 0, "10.0.0.7:1000");
    expect(0x100000000000001, 1, "127.0.0.1:54322");
    assert_null(connections_find(&connections, 0x300000000000000));
}

TEST_BETWEEN(addresses_come_in_several_forms, begin, end)
{
    read_answer(0, " /0:0:0:0:0:0:0:1:54321[1](queued=0,recved=7,sent=7,sid=0x1," REST
                   " /[0:0:0:0:0:0:0:1]:54322[1](queued=0,recved=7,sent=7,sid=0x2," REST
                   " client.test/10.0.0.7:54323[1](queued=0,recved=7,sent=7,sid=0x3," REST
                   " /127.0.0.1:5[1](queued=0,recved=7,sent=7,sid=0xff00000000000004," REST);
    expect(1, 0, "0:0:0:0:0:0:0:1:54321");
    expect(2, 0, "[0:0:0:0:0:0:0:1]:54322");
    expect(3, 0, "10.0.0.7:54323");
    expect((int64_t)0xff00000000000004, 0, "127.0.0.1:5");
}

TEST_BETWEEN(what_is_no_connection_says_nothing, begin, end)
{
    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    read_answer(0, "");
    read_answer(0, "\n\n");
    read_answer(0, "nonsense ,sid=0x1,\n(,sid=0x2,\n/,sid=0x3,\n (a/b),sid=0x4,\n/a(,sid=0x5,");
    read_answer(0, "[1]/a(,sid=0x6,\n");
    read_answer(0, lengthy);
    assert_int_equal(connections.count, 0);
    assert_null(connections_find(&connections, 0));
}

TEST_BETWEEN(there_may_be_many, begin, end)
{
    for (int i = 0; i < 1000; i++) {
        char line[256];
        snprintf(line, sizeof line, " /127.0.0.1:%d[1](queued=0,recved=7,sent=7,sid=0x%x," REST,
                 20000 + i, 0x10000 - i * 7);
        read_answer((size_t)i % 2, line);
    }
    expect(0x10000, 0, "127.0.0.1:20000");
    expect(0x10000 - 999 * 7, 1, "127.0.0.1:20999");
    assert_null(connections_find(&connections, 0x10000 - 1));
}
