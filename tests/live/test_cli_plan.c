// SPDX-License-Identifier: Apache-2.0
/* zkherd plan: the table of limits, what it says of clients that pass them, options that are wrong.
 * test_cli_bounds and test_cli_stock ask servers. */
#include "tests/support/outcome.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

static struct command command;

/* Without Java: no server is started. */
COMMAND_TEST(clients_that_pass_a_limit_are_told)
{
    static const char *const without_java[] = {NO_JAVA, NULL};
    command.settings = without_java;
    command_run(&command, COMMAND("plan", "--limits", "-r", "scalable,ticket", "-n", "200",
                                  "--jute-maxbuffer", "2048", "--lock", "/l"));
    assert_status(&command, 1);
    assert_string_equal(command.err,
                        "1 private server: 200 clients of scalable: names in a list: 200 "
                        "needed, 106 at most (jute.maxbuffer)\n"
                        "1 private server: 200 clients of ticket: names in a list: 200 needed, 126 "
                        "at most (jute.maxbuffer)\n");
    command_run(&command, COMMAND("plan", "--limits", "-q", "-r", "scalable", "-n", "106",
                                  "--jute-maxbuffer", "2048"));
    assert_status(&command, 0);
    assert_string_equal(command.out, "");
    assert_string_equal(command.err, "");
    assert_left(0);
}

/* Of these results, the limit with this name of the recipe; NULL: of all. */
static const json_t *find_limit(const json_t *json, size_t result, const char *name,
                                const char *recipe)
{
    const json_t *of = json_array_get(json_object_get(json, "results"), result);
    size_t i;
    json_t *limit;
    json_array_foreach(json_object_get(of, "limits"), i, limit)
    {
        const char *its = json_string_value(json_object_get(limit, "recipe"));
        if (strcmp(json_string_value(json_object_get(limit, "limit")), name) == 0 &&
            (recipe == NULL ? its == NULL : its != NULL && strcmp(its, recipe) == 0))
            return limit;
    }
    fail_msg("no limit: %s", name);
    return NULL;
}

static json_int_t count_of(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return json_integer_value(json_object_get(object, key));
}

COMMAND_TEST(limits_are_told_as_json)
{
    command_run(&command, COMMAND("plan", "--limits", "-r", "scalable,ticket", "-n", "120",
                                  "--jute-maxbuffer", "2048", "--lock", "/l", "--servers", "1,3",
                                  "-q", "--json"));
    assert_status(&command, 1);
    assert_has(command.err, "3 private servers: 120 clients of scalable: names in a list: 120 ");
    json_t *json = schema_read_result(&command, "plan-limits");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "fails");
    const json_t *limit = find_limit(json, 0, "names in a list", "scalable");
    assert_int_equal(count_of(limit, "most"), 106);
    assert_int_equal(count_of(limit, "need"), 120);
    assert_int_equal(count_of(limit, "most_clients"), 106);
    assert_string_equal(json_string_value(json_object_get(limit, "unit")), "names");
    assert_true(json_is_true(json_object_get(limit, "passed")));
    assert_true(
        json_is_false(json_object_get(find_limit(json, 0, "names in a list", "ticket"), "passed")));
    limit = find_limit(json, 1, "connections", NULL);
    assert_true(json_is_null(json_object_get(limit, "most")));
    assert_true(json_is_true(json_object_get(limit, "told")));
    const json_t *result = json_array_get(json_object_get(json, "results"), 1);
    const json_t *first = json_array_get(json_object_get(result, "first"), 1);
    assert_string_equal(json_string_value(json_object_get(first, "recipe")), "ticket");
    assert_int_equal(count_of(first, "most_clients"), 126);
    assert_int_equal(count_of(result, "servers"), 3);
    assert_string_equal(json_string_value(json_object_get(result, "lock")), "/l");
    assert_int_equal(count_of(json_object_get(result, "settings"), "jute_maxbuffer_bytes"), 2048);
    json_decref(json);
}

COMMAND_TEST(servers_that_do_not_answer)
{
    command_run(&command, COMMAND("plan", "--limits", "--connect", "127.0.0.1:1", "--json"));
    assert_in_vain(&command, "127.0.0.1:1: the connection was refused");
}
