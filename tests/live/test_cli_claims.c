// SPDX-License-Identifier: Apache-2.0
/* zkherd claims as a user runs it: its table, its file, its ends. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/schema.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

static struct command command;

static const char *const columns[] = {"claim",    "source",   "statement", "experiment",
                                      "expected", "measured", "verdict"};

/* claims.csv in this folder has these claims, and all of them hold; list: that of --json, the same;
 * or NULL. */
static void assert_hold(const char *folder, const char *const ids[], const json_t *list)
{
    struct csv_file table = csv_file_read(in_work("%s/claims.csv", folder));
    assert_int_equal(table.columns, sizeof columns / sizeof columns[0]);
    assert_true(list == NULL || json_array_size(list) == table.rows);
    for (size_t i = 0; i < table.rows; i++) {
        assert_string_equal(csv_file_text(&table, i, "claim"), ids[i]);
        assert_string_equal(csv_file_text(&table, i, "verdict"), "holds");
        for (size_t column = 0; column < table.columns; column++) {
            const char *text = csv_file_text(&table, i, columns[column]);
            const json_t *told = json_object_get(json_array_get(list, i), columns[column]);
            assert_true(text[0] != '\0');
            assert_true(list == NULL || strcmp(json_string_value(told), text) == 0);
        }
    }
    assert_null(ids[table.rows]);
    csv_file_deinit(&table);
}

COMMAND_TEST(one_claim_on_a_private_server)
{
    command_run(&command, COMMAND("claims", "--only", "c6", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_true(screen_widest(command.out) <= 80);
    assert_has(command.out, "C6  holds        A client that is woken must list the znodes again:");
    assert_has(command.out, "\n    source       lecture 9.4");
    assert_has(command.out, "\n    experiment   5 drains of 5 clients");
    assert_has(command.out, "\n    expected     scalable: two holders in 0 drains;");
    assert_has(command.out, "\n    measured     scalable: two holders in 0 of 5 drains;");
    assert_has(command.out, "\n1 hold, 0 fail, 0 undetermined\n\nresults in out\n");
    assert_hold("out", (const char *[]){"C6", NULL}, NULL);
    assert_left(1);
}

COMMAND_TEST(some_claims_on_given_servers)
{
    command_run(&command, COMMAND("claims", "--connect", outside, "--only", "C13,C1,C7,C1",
                                  "--seed", "7", "--json", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    json_t *json = schema_read_result(&command, "claims");
    assert_hold("out", (const char *[]){"C1", "C7", "C13", NULL}, json_object_get(json, "claims"));
    assert_int_equal(json_integer_value(json_object_get(json, "claims_planned")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "claims_finished")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "holds")), 3);
    assert_int_equal(json_integer_value(json_object_get(json, "fails")), 0);
    assert_true(json_is_null(json_object_get(json, "cut_short")));
    assert_string_equal(json_string_value(json_object_get(json, "folder")), "out");
    json_decref(json);
    command_run(&command, COMMAND("claims", "--connect", outside, "--only", "C8", "-q", "-o", "q"));
    assert_status(&command, 0);
    assert_string_equal(command.out, "");
    assert_string_equal(command.err, "");
    assert_left(2);
    assert_nothing_left_outside(1);
}

/* C12 takes seconds, for its holders hold. */
COMMAND_TEST_SOON(what_was_tried_is_kept)
{
    command_start(&command, COMMAND("claims", "--only", "C7,C8,C12", "-o", "out"));
    command_await_rows(&command, "out/claims.csv.part", 2);
    pause_ms(50);
    command_end(&command, -command.pid, SIGINT);
    assert_status(&command, 4);
    assert_string_equal(command.err, "zkherd: claims: interrupted: 2 of 3 claims are kept\n");
    assert_has(command.out, "2 hold, 0 fail, 0 undetermined\n\nresults in out\n");
    assert_hold("out", (const char *[]){"C7", "C8", NULL}, NULL);
    assert_left(1);
}

COMMAND_TEST_SOON(nothing_was_tried)
{
    command_start(&command, COMMAND("claims", "--connect", outside, "--only", "C12", "--json"));
    while (command_runs(&command) && access(in_work("results"), F_OK) != 0)
        pause_ms(2);
    pause_ms(200);
    command_end(&command, command.pid, SIGTERM);
    assert_status(&command, 4);
    assert_string_equal(command.err,
                        "zkherd: claims: interrupted: before a claim ended: nothing is kept\n");
    json_t *json = schema_read_result(&command, "claims");
    assert_int_equal(json_integer_value(json_object_get(json, "claims_planned")), 1);
    assert_string_equal(json_string_value(json_object_get(json, "cut_short")), "interrupted");
    json_decref(json);
    assert_left(0);
    assert_nothing_left_outside(1);
}

/* What is left is known once a claim is done, and not before. */
COMMAND_TEST(time_left)
{
    screen_run(&command, 80, screen_take_errors,
               COMMAND("claims", "--connect", outside, "--only", "C2,C12", "-o", "out"));
    assert_status(&command, 0);
    assert_true(screen_has("[1/2] C2: nonscalable n=64, ", "handoffs: "));
    assert_false(screen_has("[1/2] ", " left"));
    assert_true(screen_has("[2/2] about ", " left: C12: "));
    assert_true(screen_has("left: C12: ", " RPCs/s"));
    assert_true(screen_widest(screen_shown) < 80);
    assert_left(1);
}

TEST_GROUP(outside_start, outside_stop)
