// SPDX-License-Identifier: Apache-2.0
/* zkherd recipes: every recipe, its law in formulas, names that are wrong. */
#include "tests/support/outcome.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include "recipes/registry.h"

static struct command command;

static void check_columns(void)
{
    for (const char *line = command.out; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strcspn(line, "\n") > 80)
            fail_msg("a line of more than 80 bytes: %.*s", (int)strcspn(line, "\n"), line);
    }
}

COMMAND_TEST(all_are_listed)
{
    const struct recipe *recipe;
    command_run(&command, COMMAND("recipes"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    check_columns();
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        char line[128];
        snprintf(line, sizeof line, "\n%-19s %-20s %s\n", recipe->name, recipe->law.rpcs,
                 recipe->law.notifications);
        assert_has(command.out, line);
    }
    assert_left(0);
}

COMMAND_TEST(each_is_told)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        command_run(&command, COMMAND("recipes", recipe->name));
        assert_status(&command, 0);
        assert_string_equal(command.err, "");
        check_columns();
        assert_has(command.out, "release");
        assert_has(command.out, recipe->broken ? "\nUnder lockstep the verdict of every trial fails"
                                : recipe_has_law(recipe) ? "\nLaw, under lockstep:\n"
                                                         : "\nThis recipe has no law.\n");
        assert_has(command.out, "\nSource:     ");
        assert_has(command.out, "\nShipped by: ");
    }
    command_run(&command, COMMAND("recipes", "broken-nowatch"));
    assert_has(command.out, ": try -n 8 -t 1 --timeout 5s."); /* to copy: on one line */
}

/* The rows that docs/counting.md derives by hand. */
COMMAND_TEST(laws_are_told_in_formulas)
{
    static const struct {
        const char *recipe, *row;
    } rows[] = {
        {"nonscalable", "\n  CREATE              1          1               W            0\n"},
        {"nonscalable", "\n    of them failed    0          1               W - 1        0\n"},
        {"scalable", "\n  getChildren         1          1               1            0\n"},
        {"scalable", "\n  names listed        1          W + 2           W            0\n"},
        {"childwatch", "\n  notifications       0          W + h           W + h        h\n"},
        {"childwatch", "\n  names listed        1          W^2 + 3W + 2    W^2          0\n"},
        {"childwatch", "\n  h: 1 if no client has arrived since the last grant, else 0\n"},
        {"walkback", "\n  EXISTS              1          2               k            1\n"},
        {"walkback", "\n  CREATE              1 + 2r     1               0            0\n"},
        {"walkback", "\n    of them failed    r          0               0            0\n"},
        {"walkback", "\n  r: 1 if the lock has been released before, else 0\n"},
        {"softlock", "\n  setData             1 - r      0               0            0\n"},
        {"walkback",
         "\n  k: number of clients that the next waiter found in line on its arrival\n"},
        {"walkback", "\n  A drain of n: n(n-1)/2 + 7n - 1 RPCs, n - 1 notifications\n"},
        {"ticket", "\n  multi               0          0               1            1\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        command_run(&command, COMMAND("recipes", rows[i].recipe));
        assert_has(command.out, rows[i].row);
    }
    command_run(&command, COMMAND("recipes", "scalable"));
    assert_null(strstr(command.out, "getData"));
    assert_null(strstr(command.out, "h: "));
}

static json_t *of(const json_t *recipes, const char *name)
{
    for (size_t i = 0; i < json_array_size(recipes); i++) {
        json_t *one = json_array_get(recipes, i);
        if (strcmp(json_string_value(json_object_get(one, "recipe")), name) == 0)
            return one;
    }
    fail_msg("%s is not listed", name);
    return NULL;
}

COMMAND_TEST(json_has_all_recipes)
{
    size_t count = 0;
    command_run(&command, COMMAND("recipes", "--json"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "recipes");
    const json_t *recipes = json_object_get(json, "recipes");
    while (registry_at(count) != NULL)
        count++;
    assert_int_equal(json_array_size(recipes), count);
    const json_t *creates =
        json_array_get(json_object_get(of(recipes, "nonscalable"), "law_steps"), 0);
    assert_string_equal(json_string_value(json_object_get(creates, "messages")), "creates");
    assert_string_equal(json_string_value(json_object_get(creates, "arrival_free")), "1");
    assert_string_equal(json_string_value(json_object_get(creates, "arrival_held")), "1");
    assert_string_equal(json_string_value(json_object_get(creates, "release_waited")), "W");
    assert_string_equal(json_string_value(json_object_get(creates, "release_alone")), "0");
    const json_t *poll = of(recipes, "poll"), *broken = of(recipes, "broken-nowatch");
    assert_true(json_is_null(json_object_get(poll, "law_steps")));
    assert_true(json_is_null(json_object_get(poll, "broken_clients_min")));
    assert_true(json_is_null(json_object_get(broken, "law_steps")));
    assert_true(json_integer_value(json_object_get(broken, "broken_clients_min")) > 0);
    json_decref(json);
}

COMMAND_TEST(json_has_one_recipe)
{
    command_run(&command, COMMAND("recipes", "ticket", "--json"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "recipes");
    assert_int_equal(json_array_size(json_object_get(json, "recipes")), 1);
    of(json_object_get(json, "recipes"), "ticket");
    json_decref(json);
}

COMMAND_TEST(help_is_a_result)
{
    command_run(&command, COMMAND("recipes", "--help"));
    assert_status(&command, 0);
    assert_has(command.out, "Usage: zkherd recipes [--json] [NAME]\n");
    assert_has(command.out, "Examples:");
    check_columns();
}

/* Who has seen enough needs no complaint; who has no space does. */
COMMAND_TEST(what_cannot_be_printed)
{
    command.prepare = print_to_a_closed_pipe;
    command_run(&command, COMMAND("recipes"));
    assert_status(&command, 3);
    assert_string_equal(command.err, "");
    command_run(&command, COMMAND("recipes", "nope"));
    assert_refused(&command, 2, "no such recipe");
    command.prepare = print_to_a_full_device;
    command_run(&command, COMMAND("recipes"));
    assert_refused(&command, 3,
                   "zkherd: standard output: no space left; free some "
                   "space, or write elsewhere\n");
    command.prepare = NULL;
    assert_left(0);
}
