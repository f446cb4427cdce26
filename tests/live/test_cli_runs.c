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
    static const char *const keys[] = {"command",
                                       "version",
                                       "seed",
                                       "started",
                                       "ended",
                                       "host",
                                       "driver",
                                       "servers",
                                       "plan",
                                       "target",
                                       "handoffs_csv_every",
                                       "warnings"};
    json_t *manifest = read_manifest("out");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_object_get(manifest, keys[i]) == NULL)
            fail_msg("the manifest lacks %s", keys[i]);
    }
    const json_t *server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_has(json_string_value(json_object_get(server, "jvm")), " version \"");
    assert_has(json_string_value(json_object_get(server, "settings")), "clientPort=");
    assert_true(json_is_false(json_object_get(manifest, "interrupted")));
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), trials);
    json_decref(manifest);
}

/* Handoffs a second of this time, in hundredths as it is written. */
static void assert_rate(const struct csv_file *trials, size_t row, const char *time)
{
    double rate = csv_file_real(trials, row, "handoffs") / csv_file_real(trials, row, time);
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
        assert_rate(&files.trials, i, "drain_s");
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

/* Finds the trial of another run that is the same cell; fails if there is none. */
static size_t find_cell(const struct csv_file *trials, const struct csv_file *others, size_t other)
{
    static const char *const key[] = {"recipe", "clients", "trial"};
    for (size_t row = 0; row < trials->rows; row++) {
        size_t alike = 0;
        for (size_t i = 0; i < 3; i++)
            alike += strcmp(csv_file_text(trials, row, key[i]),
                            csv_file_text(others, other, key[i])) == 0;
        if (alike == 3)
            return row;
    }
    fail_msg("there is no such cell");
    return 0;
}

COMMAND_TEST(processes_count_the_same)
{
    static const char *const counts[] = {"creates", "creates_failed", "exists",   "gets",
                                         "sets",    "get_children",   "deletes",  "deletes_failed",
                                         "rpcs",    "notifications",  "handoffs", "names_listed"};
    struct run_files one = RUN_WELL("one", "-n", "3,6", "-t", "1");
    assert_lawful(&one.trials);
    struct run_files three = RUN_WELL("three", "-n", "3,6", "-t", "1", "-P", "3");
    assert_lawful(&three.trials);
    assert_int_equal(one.trials.rows, three.trials.rows);
    for (size_t row = 0; row < one.trials.rows; row++) {
        size_t same = find_cell(&three.trials, &one.trials, row);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            assert_int_equal(csv_file_count(&one.trials, row, counts[i]),
                             csv_file_count(&three.trials, same, counts[i]));
        assert_int_equal(csv_file_count(&three.trials, same, "processes"), 3);
    }
    run_files_deinit(&one);
    run_files_deinit(&three);
}

COMMAND_TEST(steady_by_handoffs)
{
    struct run_files files =
        RUN_WELL("out", "-n", "4", "-t", "1", "-w", "steady", "--handoffs", "30");
    assert_int_equal(files.trials.rows, 3);
    assert_lawful(&files.trials);
    for (size_t i = 0; i < files.trials.rows; i++) {
        assert_int_equal(csv_file_count(&files.trials, i, "handoffs"), 30);
        assert_string_equal(csv_file_text(&files.trials, i, "workload"), "steady");
        assert_rate(&files.trials, i, "elapsed_s");
    }
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

/* At free pace no law of the whole is exact, but nothing is lost and nothing held twice. */
COMMAND_TEST(free_pace)
{
    struct run_files files = RUN_WELL("out", "-n", "6", "-t", "1", "-p", "free");
    assert_int_equal(files.trials.rows, 3);
    for (size_t i = 0; i < files.trials.rows; i++) {
        assert_int_equal(csv_file_count(&files.trials, i, "handoffs"), 6);
        assert_int_equal(csv_file_count(&files.trials, i, "violations"), 0);
        assert_string_equal(csv_file_text(&files.trials, i, "law_rpcs"), "");
        assert_string_equal(csv_file_text(&files.trials, i, "law_notifications"), "");
    }
    run_files_deinit(&files);
}

COMMAND_TEST(free_pace_steady_with_random_holds)
{
    struct run_files files =
        RUN_WELL("out", "-n", "5", "-t", "1", "-r", "nonscalable,scalable", "-p", "free", "-w",
                 "steady", "--handoffs", "20", "--hold", "exp:1ms", "-P", "2");
    for (size_t i = 0; i < files.trials.rows; i++) {
        assert_int_equal(csv_file_count(&files.trials, i, "handoffs"), 20);
        assert_int_equal(csv_file_count(&files.trials, i, "violations"), 0);
    }
    run_files_deinit(&files);
}

COMMAND_TEST(two_locks)
{
    size_t of_second = 0;
    struct run_files files = RUN_WELL("out", "-n", "5", "-t", "1", "-k", "2");
    assert_lawful(&files.trials);
    for (size_t i = 0; i < files.trials.rows; i++)
        assert_int_equal(csv_file_count(&files.trials, i, "handoffs"), 5);
    for (size_t i = 0; i < files.handoffs.rows; i++)
        of_second += csv_file_count(&files.handoffs, i, "lock") == 1;
    /* Of five clients two have the second lock: two grants, the first included, and the end. */
    assert_int_equal(of_second, 3 * 3);
    run_files_deinit(&files);
}

/* How long a lock is held is part of the elapsed time and of the wait for it, and not of a
 * handoff. */
COMMAND_TEST(topologies_have_a_folder_each)
{
    static const char *const folders[] = {"both/standalone", "both/ensemble3"};
    static const uint64_t servers[] = {1, 3};
    (void)state;
    command.settings = NULL;
    command_run(&command, COMMAND("run", "-n", "3,5", "-t", "2", "--servers", "1,3", "--heap",
                                  "128", "--plots", "svg", "-o", "both"));
    assert_status(&command, 0);
    for (size_t i = 0; i < 2; i++) {
        struct run_files files = run_files_read(folders[i]);
        assert_lawful(&files.trials);
        assert_int_equal(files.trials.rows, 3 * 2 * 2);
        for (size_t row = 0; row < files.trials.rows; row++) {
            assert_int_equal(csv_file_count(&files.trials, row, "servers"), servers[i]);
            assert_string_equal(csv_file_text(&files.trials, row, "reconciled"), "yes");
        }
        run_files_deinit(&files);
    }
    command_run(&command, COMMAND("compare", "both", "-o", "compared"));
    assert_status(&command, 0);
    assert_has(command.out, "A  standalone: 12 trials on 1 server, in both/standalone\n");
    assert_has(command.out, "B  ensemble3: 12 trials on 3 servers, in both/ensemble3\n");
}

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
    struct run_files files = RUN_WELL("out", "-n", "12", "-t", "1", "-r", "nonscalable-get");
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
