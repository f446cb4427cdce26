// SPDX-License-Identifier: Apache-2.0
/* A reproduction of simulated locks, by lists of its own; tests/golden/reproduce has the command.
 */
#include "bench/reproduce/internal.h"

#include "tests/support/command.h"
#include "tests/support/csv_file.h"
#include "tests/support/schema.h"

TEST_GROUP(program_find, NULL)

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_work("%s", name), "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char parts[] =
    "part     tiny two simulated locks\n"
    "makes    tiny=new/small\n"
    "in       new\n"
    "run      run -d simulated -r ticket,scalable -n 4,8 -t 2 --seed 3 --plots svg -o small\n"
    "quick    run -d simulated -r ticket -n 4 -t 1 --seed 3 --plots svg -o small\n"
    "\n"
    "part     homes releases\n"
    "makes    homes\n"
    "run      run --zookeeper $ZOOKEEPERS -o homes\n"
    "quick    run --zookeeper $ZOOKEEPERS -n 4 -o homes\n";

static const char figures[] = "document A.md\n"
                              "\n"
                              "says     four clients take {18} requests, eight {38} of one kind\n"
                              "from     results/reference/tiny/trials.csv recipe=ticket\n"
                              "exact    all rpcs clients=4\n"
                              "exact    all rpcs clients=8\n"
                              "\n"
                              "says     a drain takes {1.5} s\n"
                              "from     results/reference/tiny/trials.csv recipe=ticket clients=4\n"
                              "figure   median drain_s\n"
                              "claims   results/reference/tiny/claims.csv claim\n"
                              "\n"
                              "printed  a release\n"
                              "from     results/reference/homes/trials.csv\n"
                              "exact    all rpcs\n";

static struct reproduction *reproduction;

static void start(bool quick)
{
    reproduction = calloc(1, sizeof *reproduction);
    assert_non_null(reproduction);
    reproduction->quick = quick;
    reproduction->quiet = true;
    reproduction->out = in_work("out");
    reproduction->parts = parts_read(parts);
    reproduction->figures = figures_read(figures);
    for (size_t i = 0; i < reproduction->parts.count; i++)
        reproduction->parts.list[i].wanted = true;
    snprintf(reproduction->reference, PATH_MAX, "%s/reference", work_folder);
    snprintf(reproduction->program, PATH_MAX, "%s", command_program);
}

static void finish(void)
{
    parts_deinit(&reproduction->parts);
    figures_deinit(&reproduction->figures);
    table_deinit(&reproduction->commands.done);
    table_deinit(&reproduction->commands.before);
    table_deinit(&reproduction->found);
    free(reproduction);
}

static void make_reference(const char *eight)
{
    mkdir(in_work("reference"), 0777);
    mkdir(in_work("reference/tiny"), 0777);
    write_text("reference/commands.csv", "part,command\n");
    write_text("reference/tiny/claims.csv", "claim,verdict\nit is so,holds\n");
    FILE *file = fopen(in_work("reference/tiny/trials.csv"), "we");
    assert_non_null(file);
    fprintf(file, "recipe,clients,rpcs,drain_s\nticket,4,18,1.5\nticket,8,%s,3\n", eight);
    assert_int_equal(fclose(file), 0);
}

static void assert_row(const struct csv_file *rows, size_t row, const char *verdict,
                       const char *reason)
{
    assert_string_equal(csv_file_text(rows, row, "verdict"), verdict);
    assert_string_equal(csv_file_text(rows, row, "reason"), reason);
}

COMMAND_TEST(what_differs_and_what_is_not_known_is_told)
{
    make_reference("39");
    start(false);
    assert_int_equal(reproduction_lead(reproduction), 1);
    struct csv_file rows = csv_file_read(in_work("out/reproduced.csv"));
    assert_int_equal(rows.rows, 5);
    assert_row(&rows, 0, "equal", "");
    assert_row(&rows, 1, "different", "");
    assert_string_equal(csv_file_text(&rows, 1, "expected"), "39");
    assert_string_equal(csv_file_text(&rows, 1, "found"), "38");
    assert_row(&rows, 2, "undetermined", "no interval");
    assert_row(&rows, 3, "undetermined", "no such file: tiny/claims.csv");
    assert_row(&rows, 4, "undetermined", "the part homes needs --zookeeper");
    csv_file_deinit(&rows);
    finish();
}

/* The counts of --quick alone, in place of what stood there; then all again. What is done is not
 * done again: a mark in a file that was made stays. */
COMMAND_TEST(what_is_done_is_not_done_again)
{
    make_reference("38");
    start(true);
    assert_int_equal(reproduction_lead(reproduction), 4);
    assert_int_equal(reproduction->counts[REPRODUCED_EQUAL], 1);
    assert_int_equal(reproduction->left_out, 1);
    finish();
    write_text("out/new/small/mark", "");
    start(true);
    assert_int_equal(reproduction_lead(reproduction), 4);
    finish();
    assert_int_equal(access(in_work("out/new/small/mark"), F_OK), 0);
    start(false);
    assert_int_equal(reproduction_lead(reproduction), 4);
    assert_int_equal(reproduction->counts[REPRODUCED_EQUAL], 2);
    finish();
    assert_int_not_equal(access(in_work("out/new/small/mark"), F_OK), 0);
    struct csv_file done = csv_file_read(in_work("out/commands.csv"));
    assert_int_equal(done.rows, 1);
    assert_int_equal(csv_file_count(&done, 0, "status"), 0);
    csv_file_deinit(&done);
}

/* Nothing that somebody else has put there is touched. */
COMMAND_TEST(a_folder_with_something_else_is_refused)
{
    make_reference("38");
    mkdir(in_work("out"), 0777);
    write_text("out/mine", "");
    start(false);
    assert_int_equal(reproduction_lead(reproduction), 2);
    finish();
    assert_int_equal(count_entries(in_work("out")), 1);
}

/* The command itself, of what needs no server. */
COMMAND_TEST(the_limits_are_reproduced)
{
    static struct command command;
    command_run(&command, COMMAND("reproduce", "--only", "limits", "--json", "-o", "out"));
    assert_int_equal(command.status, 0);
    json_t *told = schema_read_result(&command, "reproduce");
    assert_true(json_integer_value(json_object_get(told, "equal")) > 0);
    assert_int_equal(json_array_size(json_object_get(told, "parts")), 1);
    json_decref(told);
}
