// SPDX-License-Identifier: Apache-2.0
/* Runs on real servers held against each other; tests/golden/compare-made has runs made by hand. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/schema.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

#include <sys/resource.h>

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

static void limit_files_to_1_kib(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1024, 1024});
}

static void run_plan(const char *out, const char *recipes, const char *clients, const char *trials,
                     const char *rate)
{
    command.settings = without_plots;
    command_run(&command, COMMAND("run", "--connect", outside, "-r", recipes, "-n", clients, "-t",
                                  trials, "-q", "-o", out, rate));
    assert_status(&command, 0);
    command.settings = NULL;
}

/* The counts of both are equal; with intervals a ratio of drain times is inside its own. */
static void check_rows(size_t rows, size_t trials)
{
    struct csv_file table = csv_file_read(in_work("out/compare.csv"));
    assert_int_equal(table.rows, rows);
    for (size_t row = 0; row < rows; row++) {
        const char *metric = csv_file_text(&table, row, "metric");
        assert_string_equal(csv_file_text(&table, row, "pair"), "B/A");
        assert_string_equal(csv_file_text(&table, row, "label_a"), "old");
        if (strcmp(metric, "rpcs") == 0)
            assert_true(csv_file_real(&table, row, "ratio") == 1);
        if (strcmp(metric, "drain_s") != 0)
            continue;
        assert_int_equal(csv_file_count(&table, row, "trials_b"), trials);
        if (trials < 5)
            continue;
        double ratio = csv_file_real(&table, row, "ratio");
        assert_true(csv_file_real(&table, row, "ratio_low") <= ratio);
        assert_true(csv_file_real(&table, row, "ratio_high") >= ratio);
    }
    csv_file_deinit(&table);
}

/* As a user does it: two runs of one plan, version against version. At 80 columns the least
 * important ones are left out; where there is room they are there. */
COMMAND_TEST(two_runs_of_one_plan)
{
    run_plan("old", "nonscalable,childwatch,scalable", "2..8x2", "5", NULL);
    run_plan("new", "nonscalable,childwatch,scalable", "2..8x2", "5", NULL);
    command_run(&command, COMMAND("compare", "old", "new/", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "A  old: 45 trials on 1 server");
    assert_has(command.out, "equal");
    check_rows(3 * 3 * 9, 5);
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        assert_int_equal(count_entries(in_work("out/plots")), 2);

    command.settings = without_plots;
    command_run(&command, COMMAND("compare", "-q", "--json", "-o", "json", "old", "new"));
    json_decref(schema_read_result(&command, "compare"));
    screen_run(&command, 80, screen_take_all, COMMAND("compare", "old", "new", "-o", "narrow"));
    assert_true(screen_widest(screen_shown) <= 80);
    assert_null(strstr(screen_shown, "per s"));
    screen_run(&command, 120, screen_take_all, COMMAND("compare", "old", "new", "-o", "wide"));
    assert_true(screen_widest(screen_shown) > 80);
    assert_has(screen_shown, "per s");

    command.prepare = limit_files_to_1_kib;
    command_run(&command, COMMAND("compare", "old", "new", "-o", "full"));
    command.prepare = NULL;
    assert_refused(&command, 3, "zkherd: full/compare.csv: no space left");
    assert_left(6);
}

/* Without any interval the plot has no bars; a recipe that stops early has no cells behind that. */
COMMAND_TEST(few_trials_of_a_recipe_that_stops)
{
    run_plan("old", "childwatch:4,scalable", "2..8x2", "2", NULL);
    run_plan("new", "scalable,childwatch:4", "2..8x2", "2", NULL);
    command_run(&command, COMMAND("compare", "old", "new", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_int_equal(count_entries(in_work("out/plots")), 2);
    check_rows((2 + 3) * 9, 2);
}

/* A paced trial has no time of its drain; its counts and latencies are compared. */
COMMAND_TEST(two_paced_runs)
{
    run_plan("old", "scalable", "8", "2", "--max-rate=2000");
    run_plan("new", "scalable", "8", "2", "--max-rate=2000");
    command_run(&command, COMMAND("compare", "old", "new", "-o", "out"));
    assert_status(&command, 0);
    check_rows(9, 0);
    run_plan("unpaced", "scalable", "8", "2", NULL);
    command_run(&command, COMMAND("compare", "old", "unpaced", "-o", "none"));
    assert_refused(&command, 2, "the plans of the runs differ: max_rate is null here, 2000 in old");
}

TEST_GROUP(outside_start, outside_stop)
