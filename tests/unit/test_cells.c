// SPDX-License-Identifier: Apache-2.0
/* Which trials a run makes, in which order, how long they are said to take, and what is told of
 * them before. */

#include "base/clock.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include "tests/support/said.h"
#include "tests/support/test.h"

static uint64_t levels[] = {5, 10, 20};
static struct options options;
static struct cells cells;
static struct rounds rounds, others;

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
    free(cells.list);
    cells = (struct cells){0};
    rounds_deinit(&rounds);
    rounds_deinit(&others);
    return 0;
}

static void lay_out(struct rounds *into)
{
    free(cells.list);
    rounds_deinit(into);
    cells = cells_new(&options);
    cells_lay_out(&cells, &options, into);
}

static size_t count_of(const char *recipe, uint32_t clients, uint32_t trial, size_t topology)
{
    size_t found = 0;
    for (size_t i = 0; i < rounds.trial_count; i++) {
        const struct cell *cell = &cells.list[rounds.trials[i].cell];
        found += strcmp(cell->recipe->name, recipe) == 0 && cell->clients == clients &&
                 rounds.trials[i].number == trial && cell->topology == topology;
    }
    return found;
}

/* nonscalable stops at its 10 clients: two levels, where scalable has three. */
TEST_BETWEEN(test_every_round_has_each_cell_once, set_up, tear_down)
{
    lay_out(&rounds);
    assert_int_equal(rounds.trial_count, 4 * 2 * (2 + 3));
    assert_int_equal(cells.trials, rounds.trial_count);
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

static bool same_order(const struct rounds_trial *a, const struct rounds_trial *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].cell != b[i].cell)
            return false;
    }
    return true;
}

TEST_BETWEEN(test_rounds_have_orders_of_their_own_from_the_seed, set_up, tear_down)
{
    lay_out(&rounds);
    lay_out(&others);
    assert_true(same_order(rounds.trials, others.trials, rounds.trial_count));
    assert_false(same_order(rounds.trials, rounds.trials + 10, 10));
    assert_false(same_order(rounds.trials + 10, rounds.trials + 20, 10));
    options.plan.seed = 8;
    lay_out(&others);
    assert_false(same_order(rounds.trials, others.trials, rounds.trial_count));
}

/* n² + n of nonscalable, 5n - 2 of scalable: as docs/recipes.md has them. */
TEST_BETWEEN(test_cells_foretell_their_requests, set_up, tear_down)
{
    lay_out(&rounds);
    uint64_t sum = 0;
    for (size_t i = 0; i < cells.count; i++) {
        uint64_t n = cells.list[i].clients;
        bool herd = strcmp(cells.list[i].recipe->name, "nonscalable") == 0;
        assert_int_equal(cells.list[i].rpcs, herd ? n * n + n : 5 * n - 2);
        sum += cells.list[i].rpcs;
    }
    assert_int_equal(cells.rpcs, 4 * sum);
}

static uint64_t requests_of(const char *recipe, uint64_t clients)
{
    uint64_t level[] = {clients};
    options.plan.recipes[0] = registry_find(recipe);
    options.plan.most_clients[0] = UINT64_MAX;
    options.plan.clients.list = level;
    options.plan.recipe_count = options.plan.clients.count = options.target.topology_count = 1;
    options.plan.trials = 1;
    lay_out(&rounds);
    assert_int_equal(cells.count, 1);
    return cells.list[0].rpcs;
}

/* Five clients of two locks are three and two. */
TEST_BETWEEN(test_locks_share_the_clients, set_up, tear_down)
{
    options.plan.locks = 2;
    assert_int_equal(requests_of("nonscalable", 5), (9 + 3) + (4 + 2));
}

/* By the law as many as a drain has; without a law a CREATE, its release and a retry of each. */
TEST_BETWEEN(test_without_an_end_one_round_is_foretold, set_up, tear_down)
{
    options.plan.workload = WORKLOAD_STEADY;
    options.plan.duration_ns = NS_PER_S;
    assert_int_equal(requests_of("scalable", 10), 48);
    assert_int_equal(requests_of("poll", 10), 30);
}

static size_t alike_of(const char *recipe, size_t topology)
{
    size_t i = 0;
    while (strcmp(cells.list[i].recipe->name, recipe) != 0 || cells.list[i].topology != topology)
        i++;
    return cells.list[i].alike;
}

TEST_BETWEEN(test_the_time_left_is_that_of_requests_like_those, set_up, tear_down)
{
    options.plan.trials = 1;
    lay_out(&rounds);
    assert_int_equal(rounds_left_ns(&rounds, 0), 0);
    size_t herd = alike_of("nonscalable", 1);
    rounds_learn(&rounds, herd, 0, 12345); /* nothing can be learnt of no request */
    assert_int_equal(rounds_left_ns(&rounds, 0), 0);
    rounds_learn(&rounds, herd, 10, 1000);
    rounds_learn(&rounds, herd, 30, 7000); /* 200 ns each, of all so far */
    /* Trials of which nothing is known, on the other topology and of other recipes, take as long.
     */
    assert_int_equal(rounds_left_ns(&rounds, 0), (30 + 110) * 200 * rounds.trial_count / 2);
    size_t last = rounds.trial_count;
    while (rounds.cells[rounds.trials[last - 1].cell].alike != herd)
        last--;
    uint64_t rpcs = cells.list[rounds.trials[last - 1].cell].rpcs;
    assert_int_equal(rounds_left_ns(&rounds, last - 1),
                     rpcs * 200 * (rounds.trial_count - last + 1));
    assert_int_equal(rounds_left_ns(&rounds, last), 0);
    rounds_learn(&rounds, alike_of("nonscalable", 0), 1, 10);
    assert_int_equal(rounds_left_ns(&rounds, 0), (30 + 110) * (200 + 10) * rounds.trial_count / 4);
}

/* What the trials sent tells nothing: each takes its duration, and before it that of the load
 * alone: half a second of warm-up, and two seconds. */
TEST_BETWEEN(test_a_duration_is_the_time_of_each_trial, set_up, tear_down)
{
    options.plan.trials = 1;
    options.plan.workload = WORKLOAD_STEADY;
    options.plan.duration_ns = 3 * NS_PER_S;
    lay_out(&rounds);
    rounds_learn(&rounds, 0, 10, 1000);
    assert_int_equal(rounds_left_ns(&rounds, 0), 10 * 3 * NS_PER_S);
    assert_int_equal(rounds_left_ns(&rounds, 9), 3 * NS_PER_S);
    options.plan.background.given = true;
    lay_out(&rounds);
    assert_int_equal(rounds_left_ns(&rounds, 8), 2 * (3000 + 500 + 2000) * NS_PER_MS);
}

/* ------------------------------------------------------------------ what is said of them */

static void assert_told(const char *words)
{
    const struct connect_string servers = {.endpoints = {{.host = "127.0.0.1", .port = 2181}},
                                           .count = 1};
    char line[300];
    snprintf(line, sizeof line, "zkherd: on 127.0.0.1:2181: at most 20 sessions at a time, %s\n",
             words);
    said_begin();
    cells_print_demand(&options, &cells, &servers);
    assert_string_equal(said_sentences(), line);
}

/* The discarded drains are of 10 clients (10² + 10) and of 20 (5 · 20 - 2). */
TEST_BETWEEN(the_discarded_trials_count, set_up, tear_down)
{
    cells = (struct cells){.trials = 2, .rpcs = 1500};
    assert_told("warm-ups 2, trials 2, requests 1,708");
}

/* They are sessions and requests on top of those of the lock. */
TEST_BETWEEN(the_load_beside_the_lock_is_told, set_up, tear_down)
{
    cells = (struct cells){.trials = 2, .rpcs = 1500};
    options.plan.pace = PACE_FREE;
    options.plan.background.given = true;
    options.plan.background.rate_per_s = 12500;
    assert_told("warm-ups 2, trials 2, requests about 1,708; of --background: sessions 10, "
                "requests a second 12,500");
}
