// SPDX-License-Identifier: Apache-2.0
/* The same cells on a server and in a simulation, both run by the program: every column that counts
 * is the same in both, bytes included, and so says compare. And how counts grow. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "recipes/registry.h"

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

/* All that have a law, for --recipes; of the others no two trials are the same. */
static const char *lawful_recipes(void)
{
    static char list[512];
    const struct recipe *recipe;
    list[0] = '\0';
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        size_t length = strlen(list);
        if (recipe_has_law(recipe) && !recipe->broken)
            snprintf(list + length, sizeof list - length, "%s%s", length > 0 ? "," : "",
                     recipe->name);
    }
    return list;
}

/* The seed is the order of the cells, which are many enough for numbers of several digits. */
static struct run_files run_cells(const char *folder, const char *option, const char *value,
                                  const char *seed)
{
    command.settings = without_plots;
    command_run(&command, COMMAND("run", option, value, "--seed", seed, "-r", lawful_recipes(),
                                  "-n", "2,7", "-t", "1", "-o", folder));
    assert_status(&command, 0);
    return run_files_read(folder);
}

/* The row of the trial that another table has in this row. */
static size_t find_trial(const struct csv_file *table, const struct csv_file *other, size_t row)
{
    static const char *const key[] = {"recipe", "clients", "trial"};
    for (size_t i = 0; i < table->rows; i++) {
        size_t same = 0;
        for (size_t k = 0; k < sizeof key / sizeof key[0]; k++)
            same += strcmp(csv_file_text(table, i, key[k]), csv_file_text(other, row, key[k])) == 0
                        ? 1
                        : 0;
        if (same == sizeof key / sizeof key[0])
            return i;
    }
    fail_msg("there is no trial of %s", csv_file_text(other, row, "recipe"));
    return 0;
}

/* Who of a herd comes first is luck, and so is order_inversions. */
static void assert_same_counts(const struct csv_file *real, size_t row, const struct csv_file *sim)
{
    static const char *const columns[] = {"handoffs",
                                          "creates",
                                          "creates_failed",
                                          "exists",
                                          "gets",
                                          "get_children",
                                          "sets",
                                          "deletes",
                                          "deletes_failed",
                                          "multis",
                                          "syncs",
                                          "rpcs",
                                          "notifications",
                                          "notifications_spurious",
                                          "names_listed",
                                          "bytes_sent",
                                          "bytes_received",
                                          "law_rpcs",
                                          "law_notifications",
                                          "server_writes",
                                          "server_notifications",
                                          "server_packets_received",
                                          "watches_leaked",
                                          "ephemerals_leaked",
                                          "reconciled",
                                          "violations",
                                          "valid"};
    size_t other = find_trial(sim, real, row);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *text = csv_file_text(real, row, columns[i]);
        if (strcmp(text, csv_file_text(sim, other, columns[i])) != 0)
            fail_msg("%s of %s, %s: %s on the server, %s in the simulation",
                     csv_file_text(real, row, "recipe"), csv_file_text(real, row, "clients"),
                     columns[i], text, csv_file_text(sim, other, columns[i]));
    }
}

static void assert_compared_equal(void)
{
    static const char *const counts[] = {"rpcs", "notifications", "creates", "names_listed"};
    command_run(&command, COMMAND("compare", "-o", "out", "real", "simulated"));
    assert_status(&command, 0);
    struct csv_file table = csv_file_read(in_work("out/compare.csv"));
    size_t compared = 0;
    for (size_t row = 0; row < table.rows; row++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            if (strcmp(csv_file_text(&table, row, "metric"), counts[i]) != 0)
                continue;
            assert_string_equal(csv_file_text(&table, row, "a"), csv_file_text(&table, row, "b"));
            compared++;
        }
    }
    assert_true(compared > 0);
    csv_file_deinit(&table);
}

COMMAND_TEST(a_simulated_run_counts_as_a_real_one_does)
{
    struct run_files real = run_cells("real", "--connect", outside, "1");
    struct run_files sim = run_cells("simulated", "-d", "simulated", "2");
    assert_int_equal(real.trials.rows, sim.trials.rows);
    for (size_t row = 0; row < real.trials.rows; row++)
        assert_same_counts(&real.trials, row, &sim.trials);
    assert_int_not_equal(access(in_work("simulated/trace.csv"), F_OK), 0);
    run_files_deinit(&real);
    run_files_deinit(&sim);
    assert_compared_equal();
}

TEST_GROUP(outside_start, outside_stop)
