// SPDX-License-Identifier: Apache-2.0
/* What the options of `zkherd run` mean, and which values are refused; the words of a refusal are
 * for tests/live/test_cli_usage.c. */

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/option_table.h"

#include "tests/support/test.h"

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

static const struct option_row *row_of(const char *name)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static bool take(const char *name, const char *value)
{
    struct option_given given = {.row = row_of(name), .value = value, .options = &options};
    bool taken = given.row->parse(&given);
    assert_true(taken == (given.why[0] == '\0'));
    return taken;
}

TEST_BETWEEN(test_recipes_may_have_a_most, set_up, tear_down)
{
    assert_true(take("--recipes", "scalable,nonscalable:250"));
    assert_int_equal(options.plan.recipe_count, 2);
    assert_string_equal(options.plan.recipes[0]->name, "scalable");
    assert_true(options.plan.most_clients[0] == UINT64_MAX);
    assert_string_equal(options.plan.recipes[1]->name, "nonscalable");
    assert_int_equal(options.plan.most_clients[1], 250);
    assert_true(take("--recipes", "ticket"));
    assert_int_equal(options.plan.recipe_count, 1);
    static const char *const refused[] = {
        "scalable,scalable", "nobody",       "scalable:0", "scalable:100001", ":5",
        "scalable:",         "scalable:5:5", "scalable,,", "scalable:x"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take("--recipes", refused[i]));
}

TEST_BETWEEN(test_clients_are_levels, set_up, tear_down)
{
    assert_true(take("--clients", "5"));
    assert_true(take("--clients", "8..64x2,100000"));
    static const uint64_t levels[] = {8, 16, 32, 64, 100000};
    assert_int_equal(options.plan.clients.count, 5);
    assert_memory_equal(options.plan.clients.list, levels, sizeof levels);
    assert_false(take("--clients", "0"));
    assert_false(take("--clients", "100001"));
}

TEST_BETWEEN(test_words_are_what_they_say, set_up, tear_down)
{
    assert_true(take("--workload", "steady"));
    assert_int_equal(options.plan.workload, WORKLOAD_STEADY);
    assert_true(take("--workload", "drain"));
    assert_int_equal(options.plan.workload, WORKLOAD_DRAIN);
    assert_true(take("--pace", "free"));
    assert_int_equal(options.plan.pace, PACE_FREE);
    assert_true(take("--pace", "lockstep"));
    assert_int_equal(options.plan.pace, PACE_LOCKSTEP);
    assert_true(take("--driver", "threads"));
    assert_int_equal(options.target.driver, DRIVER_THREADS);
    assert_true(take("--driver", "simulated"));
    assert_int_equal(options.target.driver, DRIVER_SIMULATED);
    assert_true(take("--placement", "followers"));
    assert_int_equal(options.target.placement, PLACEMENT_FOLLOWERS);
    assert_true(take("--placement", "spread"));
    assert_int_equal(options.target.placement, PLACEMENT_SPREAD);
    assert_true(take("--fsync", "yes"));
    assert_true(options.target.fsync);
    assert_true(take("--fsync", "no"));
    assert_false(options.target.fsync);
    static const char *const names[] = {"--workload", "--pace", "--driver", "--placement",
                                        "--fsync"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(take(names[i], ""));
        assert_false(take(names[i], "other"));
    }
}

TEST_BETWEEN(test_a_hold_is_fixed_or_exponential, set_up, tear_down)
{
    assert_true(take("--hold", "exp:5ms"));
    assert_true(options.plan.hold.exponential);
    assert_int_equal(options.plan.hold.mean_ns, 5 * NS_PER_MS);
    assert_true(take("--hold", "2s"));
    assert_false(options.plan.hold.exponential);
    assert_int_equal(options.plan.hold.mean_ns, 2 * NS_PER_S);
    assert_false(take("--hold", "exp:"));
    assert_false(take("--hold", "exp:5"));
    assert_false(take("--hold", "5"));
}

/* The least of each, and the largest where there is one; what is beyond leaves the value alone. */
TEST_BETWEEN(test_durations_have_bounds, set_up, tear_down)
{
    assert_true(take("--duration", "1ms"));
    assert_false(take("--duration", "999us"));
    assert_int_equal(options.plan.duration_ns, NS_PER_MS);
    assert_true(take("--timeout", "100ms"));
    assert_false(take("--timeout", "99ms"));
    assert_int_equal(options.plan.timeout_ns, 100 * NS_PER_MS);
    assert_true(take("--session-timeout", "1s"));
    assert_false(take("--session-timeout", "999ms"));
    assert_int_equal(options.plan.session_timeout_ns, NS_PER_S);
    assert_true(take("--session-timeout", "3600s"));
    assert_false(take("--session-timeout", "3601s"));
}

TEST_BETWEEN(test_numbers_have_bounds, set_up, tear_down)
{
    assert_true(take("--locks", "10000"));
    assert_int_equal(options.plan.locks, 10000);
    assert_true(take("--trials", "1000"));
    assert_int_equal(options.plan.trials, 1000);
    assert_true(take("--processes", "1000"));
    assert_int_equal(options.plan.processes, 1000);
    assert_true(take("--handoffs", "50000000"));
    assert_int_equal(options.plan.handoffs, 50000000);
    assert_true(take("--seed", "9223372036854775807"));
    assert_int_equal(options.plan.seed, INT64_MAX);
    assert_true(take("--trace", "1..64+1"));
    assert_int_equal(options.plan.traced.count, 64);
    assert_int_equal(options.plan.traced.list[63], 64);
    assert_true(take("--seed", "0"));
    static const struct {
        const char *name;
        const char *value;
    } refused[] = {{"--locks", "10001"},
                   {"--trials", "1001"},
                   {"--processes", "1001"},
                   {"--handoffs", "50000001"},
                   {"--seed", "9223372036854775808"},
                   {"--locks", "0"},
                   {"--trials", "0"},
                   {"--processes", "0"},
                   {"--handoffs", "0"},
                   {"--trace", "0"},
                   {"--trace", "50000001"},
                   {"--trace", "1..65+1"},
                   {"--heap", "0"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take(refused[i].name, refused[i].value));
    assert_int_equal(options.plan.locks, 10000);
}

TEST_BETWEEN(test_servers_are_an_odd_number, set_up, tear_down)
{
    assert_true(take("--servers", "5"));
    assert_true(take("--servers", "1,3"));
    assert_int_equal(options.target.topology_count, 2);
    assert_int_equal(options.target.server_counts[0], 1);
    assert_int_equal(options.target.server_counts[1], 3);
    static const char *const refused[] = {"0", "2", "4", "8", "9", "1,2", ""};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(take("--servers", refused[i]));
}

TEST_BETWEEN(test_folders_have_names, set_up, tear_down)
{
    assert_true(take("--out", "there"));
    assert_string_equal(options.output.out, "there");
    assert_true(take("--data", "here"));
    assert_string_equal(options.target.data, "here");
    assert_false(take("--out", ""));
    assert_false(take("--data", ""));
}

/* Parses a command line of so many words behind the subcommand's name. */
static int parse(int count, ...)
{
    static const struct arguments arguments = {"run", "", option_table, "", NULL};
    char name[] = "run", *argv[8] = {name};
    va_list words;
    va_start(words, count);
    for (int i = 1; i <= count; i++)
        argv[i] = va_arg(words, char *);
    va_end(words);
    return arguments_take(&arguments, count + 1, argv, &options, NULL);
}

TEST_BETWEEN(test_a_default_is_that_of_the_help, set_up, tear_down)
{
    char shown[64];
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        snprintf(shown, sizeof shown, "[%s]\n", row->value != NULL ? row->value : "");
        if (row->value != NULL)
            assert_non_null(strstr(row->help, shown));
        assert_non_null(strstr(row->help, row->name));
        if (row->letter != '\0')
            assert_true(row->help[2] == '-' && row->help[3] == row->letter);
    }
}

/* Every key of the plan, in the order of the rows, when no option is given. */
TEST_BETWEEN(test_defaults_are_printed_into_the_plan, set_up, tear_down)
{
    static const struct {
        const char *name;
        const char *json;
    } plan[] = {{"recipes", "[\"nonscalable\",\"childwatch\",\"scalable\"]"},
                {"most_clients", "{}"},
                {"clients", "[8,16,32,64,128,256]"},
                {"clients_left_out", "[]"},
                {"workload", "\"drain\""},
                {"handoffs", "0"},
                {"duration_ns", "0"},
                {"pace", "\"lockstep\""},
                {"hold_ns", "0"},
                {"hold_exponential", "false"},
                {"locks", "1"},
                {"trials", "5"},
                {"traced", "[]"},
                {"processes", "1"},
                {"server_cpu_percent", "null"},
                {"max_clients", "null"},
                {"max_rate", "null"},
                {"background", "\"none\""},
                {"placement", "\"spread\""},
                {"session_timeout_ms", "60000"},
                {"timeout_ms", "30000"}};
    options.target.max_clients = UINT64_MAX; /* as bench/run/command_line.c sets it */
    assert_int_equal(parse(0), ARGUMENTS_GO);
    json_t *printed = option_table_plan(&options);
    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++) {
        assert_string_equal(option_table_key(i)->name, plan[i].name);
        char *text =
            json_dumps(json_object_get(printed, plan[i].name), JSON_ENCODE_ANY | JSON_COMPACT);
        assert_string_equal(text, plan[i].json);
        free(text);
    }
    json_decref(printed);
    assert_null(option_table_key(sizeof plan / sizeof plan[0]));
}

TEST_BETWEEN(test_a_default_is_not_given, set_up, tear_down)
{
    const struct target_options *target = &options.target;
    assert_int_equal(parse(0), ARGUMENTS_GO);
    assert_true(target->fsync && target->heap_mib == 512 && target->topology_count == 1);
    assert_false(target->fsync_given || target->heap_given || target->servers_given);
    assert_int_equal(parse(3, "--fsync=no", "--heap=600", "--servers=3"), ARGUMENTS_GO);
    assert_true(target->fsync_given && target->heap_given && target->servers_given);
    assert_false(target->fsync || target->connect || options.output.quiet);
    assert_int_equal(parse(2, "-q", "--connect=zk:2181"), ARGUMENTS_GO);
    assert_true(target->connect && options.output.quiet);
}

TEST_BETWEEN(test_no_two_options_have_one_name_letter_or_key, set_up, tear_down)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        assert_ptr_equal(row_of(row->name), row);
        for (const struct option_row *other = option_table; other < row; other++)
            assert_true(row->letter == '\0' || row->letter != other->letter);
    }
    for (size_t i = 0; option_table_key(i) != NULL; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(option_table_key(i)->name, option_table_key(j)->name);
    }
}
