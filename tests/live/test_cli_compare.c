// SPDX-License-Identifier: Apache-2.0
/* Runs of real servers at a limited rate held against each other, and a comparison that cannot be
 * written; tests/golden has all else. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/test.h"

#include <sys/resource.h>

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

static void limit_files_to_512_bytes(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){512, 512});
}

static void run_plan(const char *out)
{
    command.settings = without_plots;
    command_run(&command, COMMAND("run", "--connect", outside, "-r", "scalable", "-n", "8", "-t",
                                  "2", "--max-rate=2000", "-q", "-o", out));
    assert_status(&command, 0);
    command.settings = NULL;
}

/* A paced trial has no time of its drain; its counts and latencies are compared. */
COMMAND_TEST(two_paced_runs)
{
    run_plan("old");
    run_plan("new");
    command_run(&command, COMMAND("compare", "old", "new", "-o", "out"));
    assert_status(&command, 0);
    struct csv_file table = csv_file_read(in_work("out/compare.csv"));
    assert_int_equal(table.rows, 9);
    for (size_t row = 0; row < table.rows; row++) {
        const char *metric = csv_file_text(&table, row, "metric");
        if (strcmp(metric, "rpcs") == 0)
            assert_true(csv_file_real(&table, row, "ratio") == 1);
        if (strcmp(metric, "drain_s") == 0)
            assert_int_equal(csv_file_count(&table, row, "trials_b"), 0);
    }
    csv_file_deinit(&table);
    command.prepare = limit_files_to_512_bytes;
    command_run(&command, COMMAND("compare", "old", "new", "-o", "full"));
    command.prepare = NULL;
    assert_refused(&command, 3, "zkherd: full/compare.csv: no space left");
    assert_left(3);
}

TEST_GROUP(outside_start, outside_stop)
