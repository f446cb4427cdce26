// SPDX-License-Identifier: Apache-2.0
/* The limits in the answers of servers, and the lowest of several servers. */

#include "servers/server_limits.h"

#include "tests/support/test.h"

#define CONF "clientPort=2181\nmaxClientCnxns=60\nminSessionTimeout=4000\n"
#define MNTR                                                                                       \
    "zk_version\t3.8.0\nzk_open_file_descriptor_count\t67\nzk_max_file_descriptor_"                \
    "count\t1048576\n"
#define ENVI   "Environment:\nos.memory.free=100MB\nos.memory.max=512MB\nos.memory.total=512MB\n"
#define UNTOLD FOUR_LETTER_UNTOLD

static struct server_limits read_from(const char *conf, const char *mntr, const char *envi)
{
    struct server_limits limits = {7, 7, 7};
    server_limits_read(conf, mntr, envi, &limits);
    return limits;
}

TEST(all_are_read)
{
    struct server_limits limits = read_from(CONF, MNTR, ENVI);
    assert_int_equal(limits.connections, 60);
    assert_int_equal(limits.descriptors, 1048576 - 67);
    assert_int_equal(limits.heap_bytes, 512 << 20);
}

TEST(what_is_not_told_is_no_number)
{
    struct server_limits limits = read_from("", "", "");
    assert_true(limits.connections == UNTOLD);
    assert_true(limits.descriptors == UNTOLD);
    assert_true(limits.heap_bytes == UNTOLD);
    limits = read_from("clientPort=1\nmaxClientCnxns=-1\n",
                       "zk_version\t1\nzk_max_file_descriptor_count\t9\n",
                       "Environment:\nos.memory.max=512\n");
    assert_true(limits.connections == UNTOLD);
    assert_true(limits.descriptors == UNTOLD);
    assert_true(limits.heap_bytes == UNTOLD);
}

static struct server_limits lower(struct server_limits one, struct server_limits other)
{
    server_limits_heed(&one, &other);
    return one;
}

TEST(the_lowest_counts)
{
    struct server_limits limits =
        lower((struct server_limits){60, 100, 512}, (struct server_limits){50, 200, 256});
    assert_int_equal(limits.connections, 50);
    assert_int_equal(limits.descriptors, 100);
    assert_int_equal(limits.heap_bytes, 256);
    /* 0 is no limit of connections. */
    assert_int_equal(lower((struct server_limits){0, 1, 1}, limits).connections, 50);
    assert_int_equal(lower(limits, (struct server_limits){0, 1, 1}).connections, 50);
    assert_int_equal(lower((struct server_limits){0}, (struct server_limits){0}).connections, 0);
    assert_true(lower(limits, (struct server_limits){UNTOLD, 1, 1}).connections == UNTOLD);
    assert_true(lower((struct server_limits){0, UNTOLD, 1}, limits).descriptors == UNTOLD);
}
