// SPDX-License-Identifier: Apache-2.0
/* What the options of `zkherd load` mean. What is refused: tests/golden/refusals. */

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/load/load.h"
#include "client/client.h"
#include "tests/support/test.h"

static struct load_options options;

#define MOST_ARGUMENTS 16

/* The exit status, or ARGUMENTS_GO; arguments end with NULL. */
static int parse(const char *const arguments[])
{
    static char copies[MOST_ARGUMENTS][128];
    char *argv[MOST_ARGUMENTS + 1] = {NULL};
    int argc = 0;
    for (; arguments[argc] != NULL; argc++) {
        assert_true(argc < MOST_ARGUMENTS);
        snprintf(copies[argc], sizeof copies[argc], "%s", arguments[argc]);
        argv[argc] = copies[argc];
    }
    return load_command_line_parse(argc, argv, &options);
}

#define LOAD(...) ((const char *const[]){"load", __VA_ARGS__, NULL})

static void take(const char *const arguments[])
{
    assert_int_equal(parse(arguments), ARGUMENTS_GO);
}

FIXTURE(tear_down)
{
    load_options_deinit(&options);
    return 0;
}

/* ------------------------------------------------------------------ defaults */

TEST_BETWEEN(each_option_has_its_default, NULL, tear_down)
{
    char mix[128];
    uint64_t before_ns = clock_utc_ns();
    take((const char *const[]){"load", NULL});
    assert_string_equal(mix_format(&options.mix, mix, sizeof mix), "get=80,set=20");
    assert_int_equal(load_options_mixes(&options), 1);
    assert_int_equal(options.sessions.count, 1);
    assert_int_equal(options.sessions.list[0], 20);
    assert_int_equal(load_options_rates(&options), 1);
    assert_int_equal(load_options_rate(&options, 0), 0);
    assert_false(options.poisson);
    assert_int_equal(options.depth, 1);
    assert_int_equal(options.value_bytes, 1024);
    assert_int_equal(options.znodes, 0);
    assert_int_equal(options.duration_ns, 10 * NS_PER_S);
    assert_int_equal(options.warm_up_ns, 2 * NS_PER_S);
    assert_int_equal(options.trials, 3);
    assert_int_equal(options.processes, 1);
    assert_int_equal(options.session_timeout_ns, 60 * NS_PER_S);
    assert_int_equal(options.timeout_ns, 30 * NS_PER_S);
    assert_true(options.seed >= before_ns && options.seed <= clock_utc_ns());
}

/* ------------------------------------------------------------------ values */

TEST_BETWEEN(options_take_their_values, NULL, tear_down)
{
    take(LOAD("-m", "trylock=100", "--depth", "4096", "--size", "0", "--znodes", "1000000",
              "--duration", "1h", "--warm-up", "0", "-t", "1000"));
    assert_int_equal(options.mix.percent[LOAD_TRYLOCK], 100);
    assert_int_equal(options.depth, 4096);
    assert_int_equal(options.value_bytes, 0);
    assert_int_equal(options.znodes, 1000000);
    assert_int_equal(options.duration_ns, 3600 * NS_PER_S);
    assert_int_equal(options.warm_up_ns, 0);
    assert_int_equal(options.trials, 1000);
}

TEST_BETWEEN(levels_are_ascending, NULL, tear_down)
{
    take(LOAD("--reads", "100,0..50+25", "-n", "8..32x2", "--rate", "10000000,1", "--arrivals",
              "poisson", "--size", "1000000", "--znodes", "own"));
    assert_int_equal(load_options_mixes(&options), 4);
    static const uint32_t reads[] = {0, 25, 50, 100};
    for (size_t i = 0; i < 4; i++) {
        struct mix mix = load_options_mix(&options, i);
        assert_int_equal(mix_reads(&mix), reads[i]);
    }
    assert_int_equal(options.sessions.count, 3);
    assert_int_equal(options.sessions.list[2], 32);
    assert_int_equal(load_options_rates(&options), 2);
    assert_int_equal(load_options_rate(&options, 0), 1);
    assert_int_equal(load_options_rate(&options, 1), 10000000);
    assert_true(options.poisson);
    assert_int_equal(options.value_bytes, 1000000);
    assert_int_equal(options.znodes, 0);
}
