// SPDX-License-Identifier: Apache-2.0
/* What run and load print with --json, in simulations: it is as the schemas say, and as the files
 * beside it. */
#include "tests/support/csv_file.h"
#include "tests/support/json_row.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <math.h>

static const char *const without_programs[] = {NO_JAVA, NULL};
static struct command command = {.settings = without_programs};

static const json_t *result_at(const json_t *json, size_t index)
{
    return json_array_get(json_object_get(json, "results"), index);
}

static const json_t *cell_at(const json_t *json, size_t result, size_t index)
{
    return json_array_get(json_object_get(result_at(json, result), "cells"), index);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static json_int_t count_of(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return json_integer_value(json_object_get(object, key));
}

COMMAND_TEST(a_run_of_two_topologies)
{
    command_run(&command,
                COMMAND("run", "-d", "simulated", "--servers", "1,3", "-r", "nonscalable,scalable",
                        "-n", "4,8", "-t", "2", "--json", "-o", "out"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "run");
    assert_string_equal(text_of(json, "verdict"), "holds");
    assert_int_equal(json_array_size(json_object_get(json, "results")), 2);
    assert_string_equal(text_of(result_at(json, 0), "folder"), "out/simulated1");
    assert_string_equal(text_of(result_at(json, 1), "target"), "simulated3");
    assert_int_equal(count_of(result_at(json, 1), "servers"), 3);
    assert_int_equal(count_of(result_at(json, 1), "trials_finished"), 8);
    assert_int_equal(json_array_size(json_object_get(result_at(json, 1), "cells")), 4);
    json_decref(read_manifest("out/simulated3"));
    const json_t *cell = cell_at(json, 1, 1);
    assert_string_equal(text_of(cell, "recipe"), "nonscalable");
    assert_int_equal(count_of(cell, "clients"), 8);
    assert_int_equal(count_of(cell, "trials_valid"), 2);
    assert_int_equal(count_of(cell, "rpcs"), 8 * 8 + 8);
    assert_true(json_is_true(json_object_get(cell, "has_law")));
    json_decref(json);
}

/* The median of one trial is its value. */
static void assert_is_of_the_row(const json_t *cell, const struct csv_file *table, size_t row)
{
    static const char *const keys[] = {"rpcs",    "creates",        "notifications",
                                       "drain_s", "handoff_p50_us", "handoff_p99_us"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_float_equal(json_number_value(json_object_get(cell, keys[i])),
                           csv_file_real(table, row, keys[i]), 0.1);
    assert_int_equal(count_of(cell, "bytes"), csv_file_count(table, row, "bytes_sent") +
                                                  csv_file_count(table, row, "bytes_received"));
}

COMMAND_TEST(a_run_says_what_its_file_has)
{
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "poll", "-p", "free", "-n", "8",
                                  "-t", "1", "-q", "--json", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    json_t *json = schema_read_result(&command, "run");
    struct csv_file trials = csv_file_read(in_work("out/trials.csv"));
    assert_is_of_the_row(cell_at(json, 0, 0), &trials, 0);
    assert_true(json_is_false(json_object_get(cell_at(json, 0, 0), "has_law")));
    csv_file_deinit(&trials);
    json_decref(json);
}

COMMAND_TEST(a_verdict_that_fails)
{
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "scalable,broken-nolock", "-n",
                                  "4", "-t", "1", "--json", "-o", "out"));
    assert_status(&command, 1);
    assert_has(command.err, "broken-nolock");
    json_t *json = schema_read_result(&command, "run");
    assert_string_equal(text_of(json, "verdict"), "fails");
    assert_string_equal(text_of(cell_at(json, 0, 0), "verdict"), "holds");
    assert_string_equal(text_of(cell_at(json, 0, 1), "verdict"), "fails");
    json_decref(json);
}

/* The keys of a cell of a load are columns of cells.csv, but for a few that count trials. */
COMMAND_TEST(a_load_says_what_its_file_has)
{
    command_run(&command, COMMAND("load", "-d", "simulated", "-n", "2,4", "-r", "1000", "-t", "1",
                                  "--duration", "1s", "--warm-up", "0", "--json", "-o", "out"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "load");
    struct csv_file cells = csv_file_read(in_work("out/cells.csv"));
    assert_int_equal(cells.rows, json_array_size(json_object_get(result_at(json, 0), "cells")));
    assert_int_equal(assert_json_row(cell_at(json, 0, 1), &cells, 1), 5 + 3 * 14);
    assert_int_equal(count_of(cell_at(json, 0, 1), "trials_valid"), 1);
    assert_string_equal(text_of(json, "verdict"), "holds");
    json_decref(read_manifest("out"));
    csv_file_deinit(&cells);
    json_decref(json);
}

COMMAND_TEST(what_cannot_be_printed_is_no_result)
{
    command.prepare = print_to_a_full_device;
    command_run(&command, COMMAND("run", "-d", "simulated", "-n", "4", "-t", "1", "-q", "--json"));
    command.prepare = NULL;
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: standard output: ");
    assert_left(0);
}

TEST_GROUP(program_find, NULL)
