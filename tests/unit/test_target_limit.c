// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target.h"

#include "tests/support/test.h"

static const struct connect_string three = {
    .endpoints = {{.host = "a", .port = 1}, {.host = "b", .port = 2}, {.host = "c", .port = 3}},
    .count = 3};

/* Of n sessions server j has those whose number is j modulo the servers'. */
static uint64_t share_of(uint64_t sessions, size_t server, size_t servers)
{
    uint64_t share = 0;
    for (uint64_t i = 0; i < sessions; i++)
        share += i % servers == server;
    return share;
}

/* Whether all servers have room for so many sessions and what is reserved. */
static bool fits(uint64_t sessions, const uint64_t room[3], size_t servers)
{
    bool all = true;
    for (size_t j = 0; j < servers; j++)
        all = all && share_of(sessions, j, servers) + TARGET_LIMIT_RESERVED <= room[j];
    return all;
}

TEST(as_many_sessions_as_every_server_has_room_for)
{
    static const uint64_t rooms[][3] = {{60, 60, 60}, {60, 9, 60}, {60, 60, 9}, {9, 60, 60},
                                        {5, 5, 5},    {10, 9, 9},  {9, 10, 9},  {9, 9, 10}};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        for (size_t servers = 1; servers <= 3; servers++) {
            struct connect_string some = three;
            some.count = servers;
            struct target_limit limit = target_limit_of(&some, rooms[i], 1000, 0);
            assert_true(fits(limit.sessions, rooms[i], servers));
            assert_false(fits(limit.sessions + 1, rooms[i], servers));
        }
    }
}

TEST(a_server_without_room_allows_nothing)
{
    struct target_limit limit =
        target_limit_of(&three, (uint64_t[]){60, 100, TARGET_LIMIT_RESERVED}, 1000, 0);
    assert_int_equal(limit.sessions, 0);
    assert_string_equal(limit.server, "c:3");
    assert_int_equal(limit.room, TARGET_LIMIT_RESERVED);
    limit = target_limit_of(&three, (uint64_t[]){60, UINT64_MAX, UINT64_MAX}, 1000, 0);
    assert_int_equal(limit.sessions, 168);
    assert_string_equal(limit.server, "a:1");
}

/* 56 of each server are for clients. */
TEST(what_all_fit_is_no_limit)
{
    static const uint64_t rooms[] = {60, 60, 60};
    assert_true(target_limit_of(&three, rooms, 168, 0).sessions == UINT64_MAX);
    assert_int_equal(target_limit_of(&three, rooms, 169, 0).sessions, 168);
}

/* Ten companions on three servers: four of one of them, so four are kept free of each. */
TEST(companions_take_room_of_every_server)
{
    static const uint64_t rooms[] = {60, UINT64_MAX, UINT64_MAX};
    struct connect_string one = three;
    assert_int_equal(target_limit_of(&three, rooms, 1000, 10).sessions,
                     (60 - TARGET_LIMIT_RESERVED - 4) * 3);
    one.count = 1;
    assert_int_equal(target_limit_of(&one, rooms, 1000, 10).sessions,
                     60 - TARGET_LIMIT_RESERVED - 10);
}

static uint64_t levels[] = {8, 16, 32, 64};

static struct levels plan(void)
{
    return (struct levels){.list = levels, .count = 4};
}

TEST(levels_above_the_limit_are_left_out)
{
    struct levels clients = plan();
    struct target_limit limit = {.sessions = 31, .reserved = 4, .room = 35, .server = "a:1"};
    struct error error;
    char text[512];
    assert_int_equal(target_limit_fit(&limit, UINT64_MAX, &clients, text, sizeof text, &error),
                     ERROR_NONE);
    assert_int_equal(clients.count, 2);
    assert_int_equal(clients.left_out, 2);
    assert_string_equal(
        text, "n = 32 and 64 left out: a:1 takes 35 connections from this host at a time "
              "(maxClientCnxns), 4 of them for zkherd's own use; use -n 5..30+5, maxClientCnxns=0 "
              "in the server's zoo.cfg, or more servers of its ensemble");
    clients = plan();
    limit.sessions = 32;
    assert_int_equal(target_limit_fit(&limit, UINT64_MAX, &clients, text, sizeof text, &error),
                     ERROR_NONE);
    assert_int_equal(clients.count, 3);
    assert_memory_equal(text, "n = 64 left out: a:1", 20);
}

TEST(many_levels_left_out_are_told_as_a_range)
{
    uint64_t many[105];
    struct target_limit limit = {.sessions = 63, .reserved = 4, .room = 67, .server = "a:1"};
    struct levels clients = {.list = many, .count = 105};
    struct error error;
    char text[512];
    for (size_t i = 0; i < 105; i++)
        many[i] = 56 + i;
    assert_int_equal(target_limit_fit(&limit, UINT64_MAX, &clients, text, sizeof text, &error),
                     ERROR_NONE);
    assert_memory_equal(text, "n = 64 to 160 (97 client counts) left out: a:1", 46);
}

TEST(what_fits_is_not_spoken_of)
{
    struct levels clients = plan();
    struct target_limit limit = {.sessions = 64, .reserved = 4, .room = 68, .server = "a:1"};
    struct error error;
    char text[512] = "x";
    assert_int_equal(target_limit_fit(&limit, UINT64_MAX, &clients, text, sizeof text, &error),
                     ERROR_NONE);
    assert_int_equal(clients.count, 4);
    assert_string_equal(text, "");
}

TEST(a_plan_of_which_nothing_is_left_is_refused)
{
    struct levels clients = plan();
    struct target_limit limit = {.sessions = 7, .reserved = 4, .room = 11, .server = "a:1"};
    struct error error;
    char text[512];
    assert_int_equal(target_limit_fit(&limit, UINT64_MAX, &clients, text, sizeof text, &error),
                     ERROR_CONNECTION_LIMIT);
    assert_string_equal(error.subject, "a:1");
    assert_string_equal(error.detail, "11 at a time (maxClientCnxns), 4 of them for zkherd's own "
                                      "use, and the smallest number of --clients is 8");
}

TEST(the_lower_of_two_limits_counts)
{
    struct levels clients = plan();
    struct target_limit limit = {.sessions = 40, .reserved = 4, .room = 44, .server = "a:1"};
    struct error error;
    char text[512];
    assert_int_equal(target_limit_fit(&limit, 20, &clients, text, sizeof text, &error), ERROR_NONE);
    assert_int_equal(clients.count, 2);
    assert_string_equal(text, "n = 32 and 64 left out: --max-clients 20");
    clients = plan();
    assert_int_equal(target_limit_fit(&limit, 50, &clients, text, sizeof text, &error), ERROR_NONE);
    assert_int_equal(clients.count, 3);
    assert_memory_equal(text, "n = 64 left out: a:1 takes 44", 29);
}
