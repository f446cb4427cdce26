// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target.h"

#include "tests/support/test.h"

static const struct connect_string three = {
    .endpoints = {{.host = "a", .port = 1}, {.host = "b", .port = 2}, {.host = "c", .port = 3}},
    .count = 3};

/* Whether all servers have room for so many sessions and what is reserved: server j has the
 * sessions whose number is j modulo the number of servers. */
static bool fits(uint64_t sessions, const uint64_t room[3], size_t servers)
{
    bool all = true;
    for (size_t j = 0; j < servers; j++) {
        uint64_t share = 0;
        for (uint64_t i = 0; i < sessions; i++)
            share += i % servers == j;
        all = all && share + TARGET_LIMIT_RESERVED <= room[j];
    }
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

/* Of so many levels, from this one on in steps of this one, as many are kept under a limit of so
 * many sessions, and under max_clients; and the reason begins so. */
TEST(levels_above_the_limit_are_left_out)
{
    static const struct {
        uint64_t count, first, step, sessions, max_clients;
        size_t kept;
        const char *why;
    } cases[] = {
        {4, 16, 16, 47, UINT64_MAX, 2,
         "n = 48 to 64 left out: a:1 takes 51 connections from this host at a time "
         "(maxClientCnxns), 4 of them for zkherd's own use; use fewer clients, maxClientCnxns=0 in "
         "the server's zoo.cfg, or more servers of its ensemble"},
        {4, 16, 16, 48, UINT64_MAX, 3, "n = 64 left out: a:1"},
        {4, 16, 16, 64, UINT64_MAX, 4, ""},
        {4, 16, 16, 50, 40, 2, "n = 48 to 64 left out: --max-clients 40"},
        {4, 16, 16, 50, 60, 3, "n = 64 left out: a:1 takes 54"},
        {105, 56, 1, 63, UINT64_MAX, 8, "n = 64 to 160 left out: a:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t list[105];
        struct levels clients = {.list = list, .count = cases[i].count};
        struct target_limit limit = {cases[i].sessions, 4, cases[i].sessions + 4, "a:1"};
        struct error error;
        char text[512] = "x";
        for (size_t j = 0; j < clients.count; j++)
            list[j] = cases[i].first + j * cases[i].step;
        assert_int_equal(
            target_limit_fit(&limit, cases[i].max_clients, &clients, text, sizeof text, &error),
            ERROR_NONE);
        assert_int_equal(clients.count, cases[i].kept);
        assert_int_equal(clients.count + clients.left_out, cases[i].count);
        text[cases[i].why[0] == '\0' ? sizeof text - 1 : strlen(cases[i].why)] = '\0';
        assert_string_equal(text, cases[i].why);
    }
}
