// SPDX-License-Identifier: Apache-2.0
/* Runs that go well: their files, told against each other, against the law and against Java. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <math.h>

#define JAR "/usr/share/java/hdrhistogram.jar"

static struct command command;

/* A run that is to go well, on the server of somebody else, into `folder`; without plots, which
 * take their time. */
static struct run_files run_well(const char *folder, const char *const options[])
{
    static const char *const settings[] = {NO_PROGRAMS, NULL};
    const char *arguments[32] = {"zkherd", "run", "--connect", outside, "-o", folder};
    for (size_t i = 0; options[i] != NULL; i++)
        arguments[6 + i] = options[i];
    command.settings = settings;
    command_run(&command, arguments);
    assert_status(&command, 0);
    assert_nothing_runs();
    assert_nothing_left_outside(1);
    return run_files_read(folder);
}

#define RUN_WELL(folder, ...) run_well(folder, (const char *const[]){__VA_ARGS__, NULL})

static void assert_lawful(const struct csv_file *trials)
{
    for (size_t i = 0; i < trials->rows; i++) {
        assert_int_equal(csv_file_count(trials, i, "rpcs"), csv_file_count(trials, i, "law_rpcs"));
        assert_int_equal(csv_file_count(trials, i, "notifications"),
                         csv_file_count(trials, i, "law_notifications"));
        assert_int_equal(csv_file_count(trials, i, "violations"), 0);
        assert_string_equal(csv_file_text(trials, i, "valid"), "yes");
        assert_string_equal(csv_file_text(trials, i, "reason"), "");
    }
}

static void assert_manifest(size_t trials)
{
    json_t *manifest = read_manifest("out");
    const json_t *server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_has(json_string_value(json_object_get(server, "jvm")), " version \"");
    assert_has(json_string_value(json_object_get(server, "settings")), "clientPort=");
    assert_true(json_is_false(json_object_get(manifest, "interrupted")));
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), trials);
    json_decref(manifest);
}

/* Handoffs a second of the drain, in hundredths as it is written. */
static void assert_rate(const struct csv_file *trials, size_t row)
{
    double rate = csv_file_real(trials, row, "handoffs") / csv_file_real(trials, row, "drain_s");
    assert_true(fabs(csv_file_real(trials, row, "handoffs_per_s") / rate - 1) < 1e-2);
}

/* As whoever tries the program first runs it, but smaller. */
COMMAND_TEST(a_private_server_and_all_files)
{
    command.settings = NULL;
    command_run(&command, COMMAND("run", "-n", "1..8x2", "-t", "2", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "results in out\n");
    assert_left(1);
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 3 * 4 * 2);
    assert_lawful(&files.trials);
    assert_manifest(files.trials.rows);
    for (size_t i = 0; i < files.trials.rows; i++) {
        assert_string_equal(csv_file_text(&files.trials, i, "target"), "standalone");
        assert_string_equal(csv_file_text(&files.trials, i, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&files.trials, i, "watches_leaked"), 0);
        assert_int_equal(csv_file_count(&files.trials, i, "server_notifications"),
                         csv_file_count(&files.trials, i, "notifications"));
        /* Pings besides, as many as there can be, on a machine that stood still for seconds. */
        assert_true(csv_file_count(&files.trials, i, "server_packets_received") >=
                    csv_file_count(&files.trials, i, "rpcs"));
        assert_int_equal(csv_file_count(&files.trials, i, "handoffs"),
                         csv_file_count(&files.trials, i, "clients"));
        assert_rate(&files.trials, i);
    }
    run_files_deinit(&files);
}

/* The folder's name, when nobody gives one, has the time and the host in it. */
COMMAND_TEST(results_have_a_folder_of_their_own)
{
    char name[256] = "";
    command_run(&command,
                COMMAND("run", "-n", "2", "-t", "1", "-r", "scalable", "--connect", outside));
    assert_status(&command, 0);
    assert_left(1);
    assert_int_equal(count_entries(in_work("results")), 1);
    assert_int_equal(sscanf(strstr(command.out, "results in "), "results in %255s", name), 1);
    assert_has(name, "Z-127.0.0.1-");
    struct run_files files = run_files_read(name);
    assert_has(name, csv_file_text(&files.trials, 0, "run"));
    run_files_deinit(&files);
}

/* For so long that on a busy machine, too, more is handed over than is discarded at first. */
COMMAND_TEST(steady_by_duration)
{
    struct run_files files =
        RUN_WELL("out", "-n", "4", "-t", "1", "-r", "scalable", "-w", "steady", "--duration", "1s");
    assert_lawful(&files.trials);
    assert_true(csv_file_count(&files.trials, 0, "handoffs") > 4);
    double elapsed_s = csv_file_real(&files.trials, 0, "elapsed_s");
    assert_true(elapsed_s >= 1 && elapsed_s < 4);
    run_files_deinit(&files);
}

/* How long a lock is held is part of the elapsed time and of the wait for it, and not of a
 * handoff. */
COMMAND_TEST(holds_are_no_part_of_handoffs)
{
    struct run_files files =
        RUN_WELL("out", "-n", "4", "-t", "1", "-r", "scalable", "--hold", "200ms");
    assert_lawful(&files.trials);
    assert_true(csv_file_real(&files.trials, 0, "elapsed_s") >= 4 * 0.2);
    assert_true(csv_file_real(&files.trials, 0, "handoff_p50_us") < 200e3);
    /* The last client waits for two whole holds; the first one's began before it arrived. */
    assert_true(csv_file_real(&files.trials, 0, "acquire_max_us") > 2 * 200e3);
    run_files_deinit(&files);
}

/* ------------------------------------------------------------------ what Java reads */

/* The columns "Total_*" of the last row that HistogramLogProcessor writes for a tag. */
static void read_by_java(const char *tag, double *count, double percentiles_ns[4])
{
    char line[2048], row[512], last[512] = "";
    double p999_ns, p9999_ns;
    snprintf(line, sizeof line,
             "java -Xmx64m -cp " JAR " org.HdrHistogram.HistogramLogProcessor -i %s -tag %s -csv "
             "-outputValueUnitRatio 1 -o %s",
             in_work("out/latency.hlog"), tag, in_work("table"));
    assert_int_equal(system(line), 0);
    FILE *table = fopen(in_work("table"), "r");
    assert_non_null(table);
    while (fgets(row, sizeof row, table) != NULL)
        strcpy(last, row);
    fclose(table);
    assert_int_equal(sscanf(last, "%*[^,],%*[^,],%*[^,],%*[^,],%*[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                            count, &percentiles_ns[0], &percentiles_ns[1], &percentiles_ns[2],
                            &p999_ns, &p9999_ns, &percentiles_ns[3]),
                     7);
}

COMMAND_TEST(java_reads_the_same)
{
    static const char *const columns[] = {"p50_us", "p90_us", "p99_us", "max_us"};
    if (access(JAR, R_OK) != 0 || system("java -version >/dev/null 2>&1") != 0) {
        print_message("skipped: needs java and " JAR " (libhdrhistogram-java)\n");
        skip();
    }
    struct run_files files =
        RUN_WELL("out", "-n", "120", "-t", "1", "-r", "nonscalable-get"); /* p99 needs 100 */
    assert_true(files.latency.rows >= 6);
    for (size_t row = 0; row < files.latency.rows; row++) {
        char tag[128];
        double count, percentiles_ns[4];
        snprintf(tag, sizeof tag, "%s.%s.%s", csv_file_text(&files.latency, row, "recipe"),
                 csv_file_text(&files.latency, row, "clients"),
                 csv_file_text(&files.latency, row, "kind"));
        read_by_java(tag, &count, percentiles_ns);
        assert_int_equal(count, csv_file_count(&files.latency, row, "count"));
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(llround(percentiles_ns[i]),
                             llround(csv_file_real(&files.latency, row, columns[i]) * 1e3));
    }
    run_files_deinit(&files);
}

TEST_GROUP(outside_start, outside_stop)
