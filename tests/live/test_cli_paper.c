// SPDX-License-Identifier: Apache-2.0
/* zkherd paper: the table, its files and its verdicts, told against the trials. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

#define SMALL                                                                                      \
    "--reads", "0,100", "-t", "2", "--duration", "1s", "--warm-up", "100ms", "--seed", "5",        \
        "--plots", "svg", "-o", "out"

static struct command command;

static struct csv_file read_table(const char *name)
{
    return csv_file_read(in_work("out/%s", name));
}

/* The word of each row follows from its interval, and the exit status from the words. */
static int status_of_shape(size_t rows)
{
    int status = 0;
    struct csv_file shape = read_table("shape.csv");
    assert_int_equal(shape.rows, rows);
    for (size_t i = 0; i < rows; i++) {
        const char *verdict = csv_file_text(&shape, i, "verdict");
        if (strcmp(verdict, "fails") == 0)
            status = 1;
        else if (strcmp(verdict, "undetermined") == 0)
            status = status == 1 ? 1 : 4;
        else
            assert_string_equal(verdict, "holds");
    }
    csv_file_deinit(&shape);
    return status;
}

/* ------------------------------------------------------------------ in the simulation */

/* What was finished is kept; nothing is known of the rest. No plots: gnuplot takes its time where
 * other programs are busy. */
COMMAND_TEST_SOON(interrupted)
{
    static const char *const without_plots[] = {NO_PROGRAMS, NULL};
    command.settings = without_plots;
    command_start(&command,
                  COMMAND("paper", "table1", "-d", "simulated", "--servers", "1,3", "--reads",
                          "0,100", "--duration", "3s", "-t", "1000", "-q", "-o", "out"));
    command_await_rows(&command, "out/simulated1/load.csv.part", 1);
    command.settings = NULL;
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: paper table1: interrupted: ");
    assert_has(command.err, " of 4,000 trials ");
    struct csv_file cells = read_table("table1.csv");
    assert_int_equal(cells.rows, 4);
    assert_true(csv_file_count(&cells, 0, "trials") + csv_file_count(&cells, 1, "trials") > 0);
    csv_file_deinit(&cells);
    assert_int_equal(status_of_shape(4), 4);
    assert_has(command.err, ": too few valid trials\n");
}

/* ------------------------------------------------------------------ on real servers */

/* Nothing is said of the shape: the machine may be busy. */
COMMAND_TEST(real_servers_make_a_table)
{
    command_run(&command, COMMAND("paper", "table1", "--servers", "1,3", "--heap", "64", "--fsync",
                                  "no", "-n", "6", "--depth", "4", SMALL));
    assert_status(&command, status_of_shape(4));
    struct csv_file cells = read_table("table1.csv");
    assert_int_equal(cells.rows, 2 * 2);
    for (size_t i = 0; i < cells.rows; i++)
        assert_int_equal(csv_file_count(&cells, i, "trials"), 2);
    csv_file_deinit(&cells);
    json_t *manifest = read_manifest("out/ensemble3");
    const json_t *plan = json_object_get(manifest, "plan");
    assert_true(json_is_true(json_object_get(plan, "rehearsal")));
    bool limited = json_is_integer(json_object_get(plan, "server_cpu_percent"));
    assert_int_equal(json_array_size(json_object_get(manifest, "warnings")), limited ? 0 : 1);
    assert_int_equal(strstr(command.out, " cores each") != NULL, limited);
    json_decref(manifest);
}

/* ------------------------------------------------------------------ table 3 */

#define BARRIERS                                                                                   \
    "-n", "4,8", "--barriers", "2,4,8", "-t", "2", "--seed", "5", "--plots", "svg", "-o", "out"

/* All of them, of which the first was interrupted. */
COMMAND_TEST(all_that_was_made_is_printed)
{
    command_start(&command, COMMAND("paper", "-d", "simulated", "-t", "1000", "-q", "--json",
                                    "--plots", "svg", "-o", "out"));
    command_await_rows(&command, "out/table1/simulated1/load.csv.part", 1);
    kill(command.pid, SIGINT);
    command_finish(&command, COMMAND_LIMIT_NS); /* six topologies have plots to draw */
    assert_status(&command, 4);
    json_t *json = schema_read_result(&command, "paper");
    const json_t *experiments = json_object_get(json, "experiments");
    assert_int_equal(json_array_size(experiments), 1);
    const json_t *experiment = json_array_get(experiments, 0);
    const json_t *result = json_array_get(json_object_get(experiment, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "undetermined");
    assert_string_equal(json_string_value(json_object_get(experiment, "folder")), "out/table1");
    assert_string_equal(json_string_value(json_object_get(result, "cut_short")), "interrupted");
    json_decref(json);
}

COMMAND_TEST(servers_of_somebody_else_make_table_3)
{
    command_run(&command, COMMAND("paper", "table3", "--connect", outside, BARRIERS));
    assert_status(&command, status_of_shape(2 + 3));
    struct csv_file trials = read_table("barriers.csv"), cells = read_table("table3.csv");
    assert_int_equal(trials.rows, 2 * 6);
    assert_int_equal(cells.rows, 6);
    for (size_t i = 0; i < trials.rows; i++) {
        uint64_t barriers = csv_file_count(&trials, i, "barriers");
        assert_int_equal(csv_file_count(&trials, i, "deletes"),
                         csv_file_count(&trials, i, "clients") * barriers);
        assert_int_equal(csv_file_count(&trials, i, "violations"), 0);
        assert_string_equal(csv_file_text(&trials, i, "reconciled"), "yes");
    }
    csv_file_deinit(&trials);
    csv_file_deinit(&cells);
    json_t *manifest = read_manifest("out");
    assert_true(json_is_true(json_object_get(json_object_get(manifest, "plan"), "rehearsal")));
    json_decref(manifest);
    assert_nothing_left_outside(1);
}

/* ------------------------------------------------------------------ while servers die */

#define FIGURE8                                                                                    \
    "paper", "figure8", "--servers", "3", "--heap", "64", "--fsync", "no", "-n", "6", "--depth",   \
        "4", "--warm-up", "100ms", "-t", "2", "--duration", "7s", "--plots", "svg", "-o", "out"

/* A row for each kill and each start, in turn. On a busy machine a server may not be back in
 * time for the next kill, which is not carried out then, and says why. */
static void assert_fault(const struct csv_file *faults, size_t row)
{
    bool kill = row % 2 == 0, done = csv_file_text(faults, row, "at_s")[0] != '\0';
    assert_int_equal(csv_file_count(faults, row, "fault"), row % 8 + 1);
    assert_string_equal(csv_file_text(faults, row, "action"), kill ? "kill" : "restart");
    assert_true(done == (csv_file_text(faults, row, "reason")[0] == '\0'));
    assert_true(done == (csv_file_text(faults, row, "servers")[0] != '\0'));
    if (!done)
        return;
    double at_s = csv_file_real(faults, row, "at_s"),
           due_s = 0.5 * (double)(2 + (row % 8) / 2 * 3 + !kill);
    assert_true(at_s >= due_s - 0.001 && at_s < 7);
    if (kill)
        assert_string_equal(csv_file_text(faults, row, "role"),
                            row % 8 < 4 ? "follower" : "leader");
    else
        assert_string_equal(csv_file_text(faults, row, "before_per_s"), "");
}

/* As many operations as the trials have; the last tenth of a second is in no row. */
static void assert_samples(void)
{
    struct csv_file samples = read_table("samples.csv"), load = read_table("load.csv");
    assert_int_equal(samples.rows, 2 * 23);
    for (size_t trial = 0; trial < 2; trial++) {
        double sum = 0, answered = csv_file_real(&load, trial, "achieved_per_s") * 7;
        for (size_t i = 0; i < 23; i++)
            sum += (double)csv_file_count(&samples, trial * 23 + i, "reads") +
                   (double)csv_file_count(&samples, trial * 23 + i, "writes");
        assert_true(sum > 0 && sum <= answered + 0.1);
        assert_true(sum > answered / 2);
    }
    csv_file_deinit(&samples);
    csv_file_deinit(&load);
}

COMMAND_TEST(servers_die_and_come_back)
{
    command_run(&command, COMMAND(FIGURE8));
    assert_status(&command, status_of_shape(5));
    struct csv_file faults = read_table("figure8.csv");
    assert_int_equal(faults.rows, 2 * 8);
    for (size_t row = 0; row < faults.rows; row++)
        assert_fault(&faults, row);
    assert_true(csv_file_text(&faults, 0, "at_s")[0] != '\0');
    assert_true(csv_file_real(&faults, 0, "before_per_s") > 0);
    csv_file_deinit(&faults);
    assert_samples();
    assert_true(screen_widest(command.out) <= 80);
    assert_has(command.out, "another follower ");
}

TEST_GROUP(outside_start, outside_stop)
