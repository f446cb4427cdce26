// SPDX-License-Identifier: Apache-2.0
/* Which trials a run makes, in which order, how long they are said to take, and what is told of
 * them before; and how many sessions the servers have room for. */
#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/run/internal.h"
#include "bench/target/target.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include "tests/support/test.h"

static uint64_t levels[] = {5, 10, 20};
static struct options options;
static struct cell *cells;
static struct rounds rounds;

FIXTURE(set_up)
{
    options = (struct options){
        .plan.recipes = {registry_find("nonscalable"), registry_find("scalable")},
        .plan.most_clients = {10, UINT64_MAX},
        .plan.recipe_count = 2,
        .plan.clients.list = levels,
        .plan.clients.count = 3,
        .plan.locks = 1,
        .plan.trials = 4,
        .target.topology_count = 2,
        .plan.seed = 7,
    };
    return 0;
}

FIXTURE(tear_down)
{
    free(cells);
    cells = NULL;
    rounds_deinit(&rounds);
    return 0;
}

static void lay_out(void)
{
    free(cells);
    rounds_deinit(&rounds);
    cells = cells_new(&options, &rounds);
}

static size_t count_of(const char *recipe, uint32_t clients, uint32_t trial, size_t topology)
{
    size_t found = 0;
    for (size_t i = 0; i < rounds.trial_count; i++) {
        const struct cell *cell = &cells[rounds.trials[i].cell];
        found += strcmp(cell->recipe->name, recipe) == 0 && cell->clients == clients &&
                 rounds.trials[i].number == trial && cell->place.topology == topology;
    }
    return found;
}

/* nonscalable stops at its 10 clients: two levels, where scalable has three. */
TEST_BETWEEN(test_every_round_has_each_cell_once, set_up, tear_down)
{
    lay_out();
    assert_int_equal(rounds.trial_count, 4 * 2 * (2 + 3));
    for (size_t i = 0; i < rounds.trial_count; i++)
        assert_int_equal(rounds.trials[i].number, 1 + i / 10);
    for (uint32_t trial = 1; trial <= 4; trial++) {
        for (size_t topology = 0; topology < 2; topology++) {
            for (size_t level = 0; level < 3; level++) {
                uint32_t clients = (uint32_t)levels[level];
                assert_int_equal(count_of("scalable", clients, trial, topology), 1);
                assert_int_equal(count_of("nonscalable", clients, trial, topology), level < 2);
            }
        }
    }
}

/* ------------------------------------------------------------------ what is said of them */

static void assert_told(const char *words)
{
    char *told = cells_describe_demand(&options, &rounds);
    assert_string_equal(told, words);
    free(told);
}

/* Every trial of every cell, and the discarded drains, of 10 clients and of 20. */
TEST_BETWEEN(the_requests_of_all_trials_are_told, set_up, tear_down)
{
    uint64_t nonscalable = (5 * 5 + 5) + (10 * 10 + 10), scalable = 23 + 48 + 98;
    char words[100];
    lay_out();
    snprintf(words, sizeof words, "warm-ups 2, trials 40, requests %s",
             RUN_COUNT(4 * 2 * (nonscalable + scalable) + 110 + 98));
    assert_told(words);
}

/* Two trials of one cell, and the discarded drains of 10 clients (10² + 10) and of 20 (5 · 20 - 2).
 */
static void lay_out_two(void)
{
    rounds_init(&rounds, 1);
    rounds.cells[0] = (struct rounds_cell){.requests = 750};
    rounds_lay_out(&rounds, 2, 7);
}

TEST_BETWEEN(the_discarded_trials_count, set_up, tear_down)
{
    lay_out_two();
    assert_told("warm-ups 2, trials 2, requests 1,708");
}

/* They are sessions and requests on top of those of the lock. */
TEST_BETWEEN(the_load_beside_the_lock_is_told, set_up, tear_down)
{
    lay_out_two();
    options.plan.pace = PACE_FREE;
    options.plan.background.given = true;
    options.plan.background.rate_per_s = 12500;
    assert_told("warm-ups 2, trials 2, requests about 1,708; of --background: "
                "sessions 10, requests a second 12,500");
}

/* ------------------------------------------------------------------ rounds of any cells */

#define CELLS  12
#define ROUNDS 3

FIXTURE(begin_rounds)
{
    rounds_init(&rounds, CELLS);
    for (size_t i = 0; i < CELLS; i++)
        rounds.cells[i] = (struct rounds_cell){.cost = (double)(1 + i), .alike = i % 2};
    return 0;
}

TEST_BETWEEN(every_round_has_every_cell_once, begin_rounds, tear_down)
{
    bool alike = true;
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds.trial_count, ROUNDS * CELLS);
    assert_int_equal(rounds.rehearsals, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct rounds_trial *trials = &rounds.trials[round * CELLS];
        bool seen[CELLS] = {false}, in_order = true;
        for (size_t i = 0; i < CELLS; i++) {
            assert_int_equal(trials[i].number, round + 1);
            assert_false(seen[trials[i].cell]);
            seen[trials[i].cell] = true;
            in_order = in_order && trials[i].cell == i;
            alike = alike && trials[i].cell == rounds.trials[i].cell;
        }
        assert_false(in_order);
    }
    assert_false(alike);
}

TEST_BETWEEN(cells_that_say_so_are_rehearsed, begin_rounds, tear_down)
{
    rounds.cells[3].rehearsed = rounds.cells[5].rehearsed = true;
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds.rehearsals, 2);
    assert_int_equal(rounds.trial_count, 2 + ROUNDS * CELLS);
    assert_int_equal(rounds.trials[0].cell + rounds.trials[1].cell, 3 + 5);
    assert_int_equal(rounds.trials[1].number, 0);
    assert_int_equal(rounds.trials[2].number, 1);
}

/* Cells of one kind by their cost; cells of a kind that has no trial yet take as long as the
 * others. */
TEST_BETWEEN(the_time_left_follows_from_the_trials_so_far, begin_rounds, tear_down)
{
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds_left_ns(&rounds, 0), 0);
    rounds_learn(&rounds, 0, 4, 3000);
    rounds_learn(&rounds, 0, 1, 2000);
    assert_int_equal(rounds_left_ns(&rounds, 0), 2 * ROUNDS * 36 * 1000); /* 1 + 3 + 5 + … + 11 */
    rounds_learn(&rounds, 1, 2, 20);
    assert_int_equal(rounds_left_ns(&rounds, 0), ROUNDS * (36 * 1000 + 42 * 10));
    rounds.trial_ns = 50;
    assert_int_equal(rounds_left_ns(&rounds, 30), 6 * 50);
}

/* ------------------------------------------------------------------ room */

/* The sessions of --background take connections of the same servers. */
TEST(the_load_beside_the_lock_takes_connections)
{
    static const char *const words[] = {"run", "--pace", "free", "--background",
                                        "get=80,set=20@1000"};
    for (int given = 0; given < 2; given++) {
        char text[5][32], *argv[6] = {NULL};
        struct options parsed;
        for (size_t i = 0; i < 5; i++)
            argv[i] = strcpy(text[i], words[i]);
        argv[given ? 5 : 3] = NULL;
        assert_int_equal(command_line_parse(given ? 5 : 3, argv, &parsed), ARGUMENTS_GO);
        assert_int_equal(parsed.target.companions, given ? BACKGROUND_SESSIONS : 0);
        options_deinit(&parsed);
    }
}

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

/* Four of each server are kept for zkherd; ten companions on three servers are four of one of them,
 * so four more are. What all fit is no limit. */
TEST(what_is_kept_free_is_of_every_server)
{
    static const struct {
        size_t servers;
        uint64_t rooms[3], wanted, companions, sessions;
        const char *server;
    } cases[] = {
        {3, {60, 100, 4}, 1000, 0, 0, "c:3"},
        {3, {60, UINT64_MAX, UINT64_MAX}, 1000, 0, 168, "a:1"},
        {3, {60, 60, 60}, 168, 0, UINT64_MAX, NULL},
        {3, {60, 60, 60}, 169, 0, 168, "a:1"},
        {3, {60, UINT64_MAX, UINT64_MAX}, 1000, 10, (60 - 4 - 4) * 3, "a:1"},
        {1, {60, UINT64_MAX, UINT64_MAX}, 1000, 10, 60 - 4 - 10, "a:1"},
    };
    assert_int_equal(TARGET_LIMIT_RESERVED, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct connect_string some = three;
        some.count = cases[i].servers;
        struct target_limit limit =
            target_limit_of(&some, cases[i].rooms, cases[i].wanted, cases[i].companions);
        assert_true(limit.sessions == cases[i].sessions);
        if (cases[i].server != NULL)
            assert_string_equal(limit.server, cases[i].server);
    }
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
