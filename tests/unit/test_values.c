// SPDX-License-Identifier: Apache-2.0
/* What the options of `zkherd run` mean, and which values are refused; the words of a refusal are
 * for tests/live/test_cli_usage.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "bench/values.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct options options;

static int set_up(void **state)
{
    (void)state;
    options = (struct options){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    options_deinit(&options);
    return 0;
}

/* What is complained about is not for the terminal. */
static bool take(enum option_name name, const char *value)
{
    int errors = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(errors >= 0 && nowhere >= 0);
    dup2(nowhere, STDERR_FILENO);
    bool taken = values_take(name, value, &options);
    dup2(errors, STDERR_FILENO);
    close(nowhere);
    close(errors);
    return taken;
}

static void test_recipes_may_have_a_most(void **state)
{
    (void)state;
    assert_true(take(OPTION_RECIPES, "scalable,nonscalable:250"));
    assert_int_equal(options.recipe_count, 2);
    assert_string_equal(options.recipes[0]->name, "scalable");
    assert_true(options.most_clients[0] == UINT64_MAX);
    assert_string_equal(options.recipes[1]->name, "nonscalable");
    assert_int_equal(options.most_clients[1], 250);
    assert_true(take(OPTION_RECIPES, "ticket"));
    assert_int_equal(options.recipe_count, 1);
    static const char *const refused[] = {
        "scalable,scalable", "nobody",       "scalable:0", "scalable:100001", ":5",
        "scalable:",         "scalable:5:5", "scalable,,", "scalable:x"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take(OPTION_RECIPES, refused[i]));
}

static void test_clients_are_levels(void **state)
{
    (void)state;
    assert_true(take(OPTION_CLIENTS, "5"));
    assert_true(take(OPTION_CLIENTS, "8..64x2,100000"));
    static const uint64_t levels[] = {8, 16, 32, 64, 100000};
    assert_int_equal(options.level_count, 5);
    assert_memory_equal(options.clients, levels, sizeof levels);
    assert_false(take(OPTION_CLIENTS, "0"));
    assert_false(take(OPTION_CLIENTS, "100001"));
}

static void test_words_are_what_they_say(void **state)
{
    (void)state;
    assert_true(take(OPTION_WORKLOAD, "steady"));
    assert_int_equal(options.workload, WORKLOAD_STEADY);
    assert_true(take(OPTION_WORKLOAD, "drain"));
    assert_int_equal(options.workload, WORKLOAD_DRAIN);
    assert_true(take(OPTION_PACE, "free"));
    assert_int_equal(options.pace, PACE_FREE);
    assert_true(take(OPTION_PACE, "lockstep"));
    assert_int_equal(options.pace, PACE_LOCKSTEP);
    assert_true(take(OPTION_DRIVER, "threads"));
    assert_int_equal(options.driver, DRIVER_THREADS);
    assert_true(take(OPTION_DRIVER, "simulated"));
    assert_int_equal(options.driver, DRIVER_SIMULATED);
    assert_true(take(OPTION_PLACEMENT, "followers"));
    assert_int_equal(options.placement, PLACEMENT_FOLLOWERS);
    assert_true(take(OPTION_PLACEMENT, "spread"));
    assert_int_equal(options.placement, PLACEMENT_SPREAD);
    assert_true(take(OPTION_FSYNC, "yes"));
    assert_true(options.fsync && options.fsync_given);
    assert_true(take(OPTION_FSYNC, "no"));
    assert_false(options.fsync);
    static const enum option_name names[] = {OPTION_WORKLOAD, OPTION_PACE, OPTION_DRIVER,
                                             OPTION_PLACEMENT, OPTION_FSYNC};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(take(names[i], ""));
        assert_false(take(names[i], "other"));
    }
}

static void test_a_hold_is_fixed_or_exponential(void **state)
{
    (void)state;
    assert_true(take(OPTION_HOLD, "exp:5ms"));
    assert_true(options.hold.exponential);
    assert_int_equal(options.hold.mean_ns, 5 * NS_PER_MS);
    assert_true(take(OPTION_HOLD, "2s"));
    assert_false(options.hold.exponential);
    assert_int_equal(options.hold.mean_ns, 2 * NS_PER_S);
    assert_false(take(OPTION_HOLD, "exp:"));
    assert_false(take(OPTION_HOLD, "exp:5"));
    assert_false(take(OPTION_HOLD, "5"));
}

/* The least of each, and the largest where there is one; what is beyond leaves the value alone. */
static void test_durations_have_bounds(void **state)
{
    (void)state;
    assert_true(take(OPTION_DURATION, "1ms"));
    assert_false(take(OPTION_DURATION, "999us"));
    assert_int_equal(options.duration_ns, NS_PER_MS);
    assert_true(take(OPTION_TIMEOUT, "100ms"));
    assert_false(take(OPTION_TIMEOUT, "99ms"));
    assert_int_equal(options.timeout_ns, 100 * NS_PER_MS);
    assert_true(take(OPTION_SESSION_TIMEOUT, "1s"));
    assert_false(take(OPTION_SESSION_TIMEOUT, "999ms"));
    assert_int_equal(options.session_timeout_ns, NS_PER_S);
    assert_true(take(OPTION_SESSION_TIMEOUT, "3600s"));
    assert_false(take(OPTION_SESSION_TIMEOUT, "3601s"));
}

static void test_numbers_have_bounds(void **state)
{
    (void)state;
    assert_true(take(OPTION_LOCKS, "10000"));
    assert_int_equal(options.locks, 10000);
    assert_true(take(OPTION_TRIALS, "1000"));
    assert_int_equal(options.trials, 1000);
    assert_true(take(OPTION_PROCESSES, "1000"));
    assert_int_equal(options.processes, 1000);
    assert_true(take(OPTION_HANDOFFS, "50000000"));
    assert_int_equal(options.handoffs, 50000000);
    assert_true(take(OPTION_SEED, "9223372036854775807"));
    assert_int_equal(options.seed, INT64_MAX);
    assert_true(take(OPTION_SEED, "0"));
    static const struct {
        enum option_name name;
        const char *value;
    } refused[] = {{OPTION_LOCKS, "10001"},
                   {OPTION_TRIALS, "1001"},
                   {OPTION_PROCESSES, "1001"},
                   {OPTION_HANDOFFS, "50000001"},
                   {OPTION_SEED, "9223372036854775808"},
                   {OPTION_LOCKS, "0"},
                   {OPTION_TRIALS, "0"},
                   {OPTION_PROCESSES, "0"},
                   {OPTION_HANDOFFS, "0"},
                   {OPTION_HEAP, "0"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take(refused[i].name, refused[i].value));
    assert_int_equal(options.locks, 10000);
}

static void test_servers_are_an_odd_number(void **state)
{
    (void)state;
    assert_true(take(OPTION_SERVERS, "5"));
    assert_true(take(OPTION_SERVERS, "1,3"));
    assert_int_equal(options.topology_count, 2);
    assert_int_equal(options.server_counts[0], 1);
    assert_int_equal(options.server_counts[1], 3);
    static const char *const refused[] = {"0", "2", "4", "8", "9", "1,2", ""};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take(OPTION_SERVERS, refused[i]));
}

static void test_folders_have_names(void **state)
{
    (void)state;
    assert_true(take(OPTION_OUT, "there"));
    assert_string_equal(options.out, "there");
    assert_true(take(OPTION_DATA, "here"));
    assert_string_equal(options.data, "here");
    assert_false(take(OPTION_OUT, ""));
    assert_false(take(OPTION_DATA, ""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_recipes_may_have_a_most),   TEST(test_clients_are_levels),
        TEST(test_words_are_what_they_say),   TEST(test_a_hold_is_fixed_or_exponential),
        TEST(test_durations_have_bounds),     TEST(test_numbers_have_bounds),
        TEST(test_servers_are_an_odd_number), TEST(test_folders_have_names),
    };
    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
