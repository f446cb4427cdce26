// SPDX-License-Identifier: Apache-2.0
/* zkherd calibrate, and what its file is for: run -d simulated --costs, plan --predict, --validate
 * and --slo; an interruption; options that are wrong. */
#include "tests/support/folder.h"
#include "tests/support/json_row.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <jansson.h>
#include <signal.h>

static struct command command;

/* Measures as a user would: anew, where other work on this machine left too few valid trials. */
static void measure(const char *out, const char *const *arguments)
{
    command.settings = NULL;
    for (int i = 0; i == 0 || (i < 10 && command.status == 4); i++) {
        folder_remove(in_work("%s", out));
        command_run(&command, arguments);
    }
}

/* A small one of a private server, into c.json. */
static void calibrate(void)
{
    measure("c.json", COMMAND("calibrate", "-r", "scalable,nonscalable", "-n", "2,6", "-t", "2",
                              "--warm-up", "0", "--fsync", "no", "--json", "-o", "c.json"));
    assert_status(&command, 0);
}

static json_t *read_costs(void)
{
    json_error_t place;
    json_t *json = json_load_file(in_work("c.json"), 0, &place);
    assert_non_null(json);
    return json;
}

static void assert_costs(void)
{
    json_t *json = read_costs();
    const json_t *holds_for = json_object_get(json, "holds_for");
    const json_t *costs = json_object_get(json, "costs"), *cells = json_object_get(json, "cells");
    assert_string_equal(json_string_value(json_object_get(holds_for, "servers")), "private");
    assert_string_equal(json_string_value(json_object_get(holds_for, "fsync")), "no");
    assert_string_equal(json_string_value(json_object_get(holds_for, "driver")), "events");
    assert_int_equal(json_integer_value(json_object_get(holds_for, "server_count")), 1);
    assert_int_equal(json_array_size(cells), 4);
    for (size_t i = 0; i < json_array_size(costs); i++)
        assert_true(json_number_value(json_object_get(json_array_get(costs, i), "value_ns")) > 0);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        assert_true(json_number_value(json_object_get(cell, "drain_s")) > 0);
        assert_true(json_number_value(json_object_get(cell, "drain_fitted_s")) > 0);
        assert_true(json_number_value(json_object_get(cell, "handoff_p50_s")) > 0);
    }
    json_decref(json);
}

static void check_calibration(void)
{
    calibrate();
    json_t *printed = schema_read_result(&command, "costs"), *json = read_costs();
    assert_true(json_equal(printed, json));
    json_decref(printed);
    json_decref(json);
    assert_costs();
    command_run(&command, COMMAND("calibrate", "-o", "c.json"));
    assert_refused(&command, 2, "c.json: already exists");
}

/* What the file says is what the run uses. */
static void check_simulation(void)
{
    command_run(&command, COMMAND("run", "-d", "simulated", "--costs", "c.json", "-r", "scalable",
                                  "-n", "8", "-t", "1", "--servers", "3", "-o", "r"));
    assert_status(&command, 0);
    assert_has(command.err, "c.json: the costs were measured on 1 server: whether they hold for 3");
    json_t *manifest = read_manifest("r");
    const json_t *used = json_object_get(json_object_get(manifest, "driver"), "costs");
    json_t *json = read_costs();
    const json_t *costs = json_object_get(json, "costs");
    assert_string_equal(json_string_value(json_object_get(used, "file")), "c.json");
    for (size_t i = 0; i < json_array_size(costs); i++) {
        const json_t *cost = json_array_get(costs, i);
        char key[64];
        snprintf(key, sizeof key, "%s_ns", json_string_value(json_object_get(cost, "name")));
        double value_ns = json_number_value(json_object_get(cost, "value_ns"));
        double difference = json_number_value(json_object_get(used, key)) - value_ns;
        assert_true(json_is_integer(json_object_get(used, key)));
        assert_true(difference >= -0.5 && difference <= 0.5);
    }
    json_decref(json);
    json_decref(manifest);
}

/* What was printed: a cell for each row of the file. */
static json_t *read_cells(const char *file)
{
    json_t *json = schema_read_result(&command, "plan-prediction");
    const json_t *cells = json_object_get(json, "cells");
    struct csv_file table = csv_file_read(in_work("%s", file));
    assert_int_equal(json_array_size(cells), table.rows);
    for (size_t row = 0; row < table.rows; row++)
        assert_int_equal(assert_json_row(json_array_get(cells, row), &table, row),
                         table.columns - 1); /* costs is said once */
    csv_file_deinit(&table);
    return json;
}

static void check_prediction(void)
{
    command_run(&command, COMMAND("plan", "--predict", "--costs", "c.json", "-r", "ticket", "-n",
                                  "10,20", "--servers", "1,5", "--draws", "5", "-o", "p"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_has(command.out, "fitted to at most 6 clients, on 1 server.");
    struct csv_file table = csv_file_read(in_work("p/predict.csv"));
    assert_int_equal(table.rows, 8);
    for (size_t row = 0; row < table.rows; row++) {
        double low = csv_file_real(&table, row, "low_s"),
               high = csv_file_real(&table, row, "high_s");
        double predicted = csv_file_real(&table, row, "predicted_s");
        assert_true(0 < low && low < predicted && predicted < high);
        assert_string_equal(csv_file_text(&table, row, "measured_s"), "");
    }
    command_run(&command,
                COMMAND("plan", "--predict", "--costs", "c.json", "-r", "ticket", "-n", "10,20",
                        "--servers", "1,5", "--draws", "5", "-q", "--json", "-o", "j"));
    assert_status(&command, 0);
    json_t *json = read_cells("j/predict.csv");
    assert_true(json_is_null(json_object_get(json, "verdict")));
    assert_has(json_string_value(json_array_get(json_object_get(json, "sentences"), 0)),
               "The costs were fitted to at most 6 clients, on 1 server.");
    json_decref(json);
    csv_file_deinit(&table);
}

/* The verdict is that of the rows. */
static void check_validation(void)
{
    size_t covered = 0;
    measure("v", COMMAND("plan", "--validate", "--costs", "c.json", "-r", "scalable,ticket", "-n",
                         "10", "-t", "2", "--warm-up", "0", "--fsync", "no", "--json", "-o", "v"));
    json_t *json = read_cells("v/validate.csv");
    struct csv_file table = csv_file_read(in_work("v/validate.csv"));
    assert_int_equal(table.rows, 4);
    for (size_t row = 0; row < table.rows; row++) {
        double measured = csv_file_real(&table, row, "measured_s");
        bool within = measured >= csv_file_real(&table, row, "low_s") &&
                      measured <= csv_file_real(&table, row, "high_s");
        assert_string_equal(csv_file_text(&table, row, "covered"), within ? "yes" : "no");
        covered += within;
    }
    csv_file_deinit(&table);
    assert_status(&command, covered == 4 ? 0 : 1);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")),
                        covered == 4 ? "holds" : "fails");
    assert_int_equal(json_integer_value(json_object_get(json, "covered")), covered);
    assert_int_equal(json_integer_value(json_object_get(json, "intervals")), 4);
    assert_has(json_string_value(json_array_get(json_object_get(json, "sentences"), 0)),
               covered == 4 ? ": passes (at least 8 of 10 must)" : ": FAILS");
    json_decref(json);
}

static size_t count_passes(const char *file)
{
    size_t count = 0;
    struct csv_file plan = csv_file_read(in_work("%s", file));
    for (size_t row = 0; row < plan.rows; row++)
        count += strcmp(csv_file_text(&plan, row, "verdict"), "pass") == 0;
    csv_file_deinit(&plan);
    return count;
}

/* Any server meets the objective, and so does the simulation: the search begins at the most, and
 * needs two votes there and five fresh ones. From one waiter on, twelve would come before. */
static void check_proposal(void)
{
    measure("s", COMMAND("plan", "--slo", "handoff p50 < 30s", "--costs", "c.json", "-r",
                         "scalable", "--at-most", "32", "--trial-time", "10", "--fsync", "no",
                         "--noise", "report", "--plots", "svg", "-o", "s"));
    assert_status(&command, 0);
    words_unwrap(command.out);
    assert_has(command.out, "scalable: 32 waiters meet handoff p50 < 30s (5 of 5 fresh trials");
    assert_has(command.out, "; no more were tried: --at-most 32.\n");
    assert_has(command.out,
               "\nscalable: first trial with 32 waiters, proposed by the simulation.\n");
    struct csv_file answers = csv_file_read(in_work("s/answers.csv"));
    assert_string_equal(csv_file_text(&answers, 0, "reason"), "everything meets");
    assert_int_equal(csv_file_count(&answers, 0, "proposed"), 32);
    csv_file_deinit(&answers);
    struct csv_file plan = csv_file_read(in_work("s/plan.csv"));
    assert_int_equal(csv_file_count(&plan, 0, "size"), 32);
    assert_int_equal(csv_file_count(&plan, 0, "proposed"), 32);
    csv_file_deinit(&plan);
    assert_int_equal(count_passes("s/plan.csv"), 7);
    json_t *manifest = read_manifest("s");
    const json_t *asked = json_object_get(manifest, "plan");
    assert_string_equal(json_string_value(json_object_get(asked, "costs")), "c.json");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(asked, "proposed"), 0)), 32);
    json_decref(manifest);
}

/* The servers are not looked at. */
static void check_dry_run(void)
{
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 30s", "--costs", "c.json", "-r",
                                  "scalable", "--at-most", "32", "--dry-run"));
    assert_status(&command, 0);
    assert_has(command.out, "\nscalable: first trial with 32 waiters, proposed by the simulation.\n"
                            "Whether c.json holds for the servers was not checked.\n");
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 1us", "--costs", "c.json", "-d",
                                  "simulated", "-r", "scalable", "--at-most", "8", "-o", "d"));
    assert_status(&command, 0);
    assert_null(strstr(command.out, "proposed"));
    json_t *manifest = read_manifest("d");
    const json_t *asked = json_object_get(manifest, "plan");
    assert_true(json_is_null(json_array_get(json_object_get(asked, "proposed"), 0)));
    json_decref(manifest);
}

static void check_refusals(void)
{
    command_run(&command, COMMAND("plan", "--validate", "--costs", "c.json", "-n", "10"));
    assert_refused(&command, 2, "the costs hold for other servers: fsync: no, here yes");
    command_run(&command,
                COMMAND("plan", "--validate", "--costs", "c.json", "-r", "scalable", "-n", "6,10"));
    assert_refused(&command, 2, "the costs were fitted to scalable with 6 clients");
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 30s", "--costs", "c.json"));
    assert_refused(&command, 2, "the costs hold for other servers: fsync: no, here yes");
    command_run(&command, COMMAND("run", "--costs", "c.json"));
    assert_refused(&command, 2, "--costs: only --driver simulated has costs");
    command_run(&command, COMMAND("run", "-d", "simulated", "--costs", "r/manifest.json"));
    assert_refused(&command, 2, "r/manifest.json: not a file of costs: its 'format' is not");
}

COMMAND_TEST(costs_are_measured_used_and_tried)
{
    check_calibration();
    check_simulation();
    check_prediction();
    check_validation();
    check_proposal();
    check_dry_run();
    check_refusals();
    assert_left(7);
}

/* Whether a transaction log of the only server has these bytes. */
static bool was_logged(const char *bytes)
{
    char script[COMMAND_PATH_SIZE + 100];
    snprintf(script, sizeof script, "grep -rqa '%s' '%s' --include='log.*'", bytes,
             in_work("data"));
    return system(script) == 0;
}

/* Drains of the largest cells warm a server up as the trials will. The drains are numbered by the
 * cells, of which the first has two clients, and the second six. */
COMMAND_TEST(the_largest_drains_warm_the_servers_up)
{
    command.settings = NULL;
    assert_int_equal(mkdir(in_work("data"), 0700), 0);
    command_start(&command, COMMAND("calibrate", "-r", "scalable", "-n", "2,6", "--warm-up", "600s",
                                    "--fsync", "no", "--data", in_work("data"), "-o", "c.json"));
    while (command_runs(&command) && !was_logged("/w000005"))
        pause_ms(50);
    bool small = was_logged("/w00000[024]"), large = was_logged("/w000001");
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_true(large);
    assert_false(small);
    assert_left(1);
}

COMMAND_TEST(an_interruption_leaves_nothing)
{
    command.settings = NULL;
    command_start(&command, COMMAND("calibrate", "-n", "2", "--warm-up", "60s", "--json"));
    /* A worker: the servers stand, and the warm-up has begun. */
    while (command_runs(&command) &&
           (find_ours("java", 0) == 0 || find_ours("zkherd", command.pid) == 0))
        pause_ms(1);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "calibrate: interrupted: before a calibration ended: nothing is kept");
    json_decref(schema_read_result(&command, "interrupted"));
    assert_left(0);
}
