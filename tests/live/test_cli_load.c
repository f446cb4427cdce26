// SPDX-License-Identifier: Apache-2.0
/* `zkherd load` as a user runs it: its files agree with each other and with the servers, what
 * cannot be is refused, and whatever ends a load early leaves whole trials and nothing else. */
#include "tests/support/front.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};
/* The server writes a snapshot whenever it has logged 64 KiB, at the latest. */
static const char *const with_snapshots[] = {
    "JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 -Dzookeeper.snapSizeLimitInKb=64", NULL};

#define ALL                                                                                        \
    "get=20,exists=10,children=10,set=20,create=15,delete=10,multi=5,trylock=2,create-delete=8"

/* A load of a moment. */
#define SMALL "-n", "4", "--duration", "1s", "--warm-up", "0", "-o", "out"

static int make(void **state)
{
    command.settings = without_plots;
    command.prepare = NULL;
    return work_make(state);
}

/* ------------------------------------------------------------------ the files of a load */

/* The tables of the load that was read last. */
static struct load_tables {
    struct csv_file load, timeline, operations, latency, cells;
} tables;

static void forget_tables(void)
{
    csv_file_deinit(&tables.load);
    csv_file_deinit(&tables.timeline);
    csv_file_deinit(&tables.operations);
    csv_file_deinit(&tables.latency);
    csv_file_deinit(&tables.cells);
    tables = (struct load_tables){0};
}

static int clear_away(void **state)
{
    forget_tables();
    umount2(in_work("disk"), MNT_DETACH); /* where a test has mounted it */
    assert_nothing_left_outside(1);
    return work_remove(state);
}

static bool same_trial(const struct csv_file *a, size_t row, const struct csv_file *b, size_t other)
{
    static const char *const key[] = {"run", "mix", "sessions", "rate_per_s", "trial"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        if (strcmp(csv_file_text(a, row, key[i]), csv_file_text(b, other, key[i])) != 0)
            return false;
    }
    return true;
}

/* Of a trial, row by row in another table. */
static uint64_t sum_of(size_t trial, const struct csv_file *table, const char *column)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (same_trial(&tables.load, trial, table, row))
            sum += csv_file_count(table, row, column);
    }
    return sum;
}

static size_t rows_of(size_t trial, const struct csv_file *table)
{
    size_t rows = 0;
    for (size_t row = 0; row < table->rows; row++)
        rows += same_trial(&tables.load, trial, table, row);
    return rows;
}

static bool is_foreseen(const char *operation, const char *status)
{
    return strcmp(status, "ok") == 0 ||
           (strcmp(operation, "trylock") == 0 && strcmp(status, "node_exists") == 0);
}

/* No mix names it. */
static bool follows(const char *operation)
{
    return strcmp(operation, "unlock") == 0 || strcmp(operation, "async-delete") == 0;
}

/* Of one kind of operation; "all": of all that were asked for. */
static uint64_t answers_of(size_t trial, const char *kind)
{
    const struct csv_file *table = &tables.operations;
    uint64_t sum = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const char *operation = csv_file_text(table, row, "operation");
        if (same_trial(&tables.load, trial, table, row) &&
            (strcmp(kind, operation) == 0 || (strcmp(kind, "all") == 0 && !follows(operation))) &&
            is_foreseen(operation, csv_file_text(table, row, "status")))
            sum += csv_file_count(table, row, "count");
    }
    return sum;
}

static uint64_t latencies_of(size_t trial, bool all_roles, const char *operation, const char *from)
{
    const struct csv_file *table = &tables.latency;
    uint64_t sum = 0;
    for (size_t row = 0; row < table->rows; row++) {
        bool is_all = strcmp(csv_file_text(table, row, "role"), "all") == 0;
        if (same_trial(&tables.load, trial, table, row) && is_all == all_roles &&
            strcmp(csv_file_text(table, row, "operation"), operation) == 0 &&
            strcmp(csv_file_text(table, row, "from"), from) == 0)
            sum += csv_file_count(table, row, "count");
    }
    return sum;
}

/* A kind has the same count in load.csv, operations.csv, and as histograms of both beginnings, of
 * all sessions and of those of each role. */
static void assert_operations_agree(size_t trial)
{
    static const char *const kinds[][2] = {
        {"gets", "get"},
        {"exists", "exists"},
        {"get_children", "children"},
        {"sets", "set"},
        {"creates", "create"},
        {"deletes", "delete"},
        {"multis", "multi"},
        {"trylocks", "trylock"},
        {"unlocks", "unlock"},
        {"create_deletes", "create-delete"},
        {"async_deletes", "async-delete"},
    };
    static const char *const beginnings[] = {"sent", "due"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t count = csv_file_count(&tables.load, trial, kinds[i][0]);
        assert_int_equal(answers_of(trial, kinds[i][1]), count);
        for (size_t from = 0; from < 2; from++) {
            assert_int_equal(latencies_of(trial, true, kinds[i][1], beginnings[from]), count);
            assert_int_equal(latencies_of(trial, false, kinds[i][1], beginnings[from]), count);
        }
    }
    for (size_t from = 0; from < 2; from++) {
        uint64_t count = answers_of(trial, "all");
        assert_int_equal(latencies_of(trial, true, "all", beginnings[from]), count);
        assert_int_equal(latencies_of(trial, false, "all", beginnings[from]), count);
    }
}

/* Of all seconds but the last, in which the sessions stop. */
static void assert_outstanding_is_known(size_t trial)
{
    for (size_t row = 0; row < tables.timeline.rows; row++) {
        bool is_last = csv_file_count(&tables.timeline, row, "second") ==
                       csv_file_count(&tables.load, trial, "seconds");
        if (same_trial(&tables.load, trial, &tables.timeline, row))
            assert_int_equal(csv_file_text(&tables.timeline, row, "outstanding")[0] == '\0',
                             is_last);
    }
}

/* The seconds are those of the trial, and what was answered in them are its rate and its errors.
 * What was offered was sent, or never. A trial that was cut short has fewer seconds, and no rate.
 */
static void assert_rates_agree(size_t trial)
{
    const struct csv_file *load = &tables.load;
    double seconds = csv_file_real(load, trial, "seconds");
    size_t ended = rows_of(trial, &tables.timeline);
    if (csv_file_text(load, trial, "achieved_per_s")[0] == '\0') {
        assert_true(ended < (size_t)seconds);
        return;
    }
    assert_int_equal(ended, (size_t)seconds);
    double achieved = (double)sum_of(trial, &tables.timeline, "operations") / seconds;
    assert_true(fabs(achieved - csv_file_real(load, trial, "achieved_per_s")) < 0.006);
    assert_int_equal(sum_of(trial, &tables.timeline, "errors"),
                     csv_file_count(load, trial, "errors"));
    if (csv_file_text(load, trial, "rate_per_s")[0] == '\0')
        return;
    double offered = (double)(sum_of(trial, &tables.operations, "count") -
                              csv_file_count(load, trial, "unlocks") -
                              csv_file_count(load, trial, "async_deletes") +
                              csv_file_count(load, trial, "unsent")) /
                     seconds;
    assert_true(fabs(offered - csv_file_real(load, trial, "offered_per_s")) < 0.006);
    assert_true(csv_file_count(load, trial, "delayed") <=
                sum_of(trial, &tables.operations, "count"));
}

/* Requests of the whole time, warm-up and unlocks included; a try that fails is a write. A ping is
 * a read and a packet, and `reconciled` says that there are no more of them than there can be: none
 * but on a machine that stood still for seconds. */
static void assert_servers_agree(size_t trial)
{
    const struct csv_file *load = &tables.load;
    uint64_t packets = csv_file_count(load, trial, "server_packets_received");
    assert_string_equal(csv_file_text(load, trial, "reconciled"), "yes");
    assert_int_equal(packets, csv_file_count(load, trial, "server_writes") +
                                  csv_file_count(load, trial, "server_reads"));
    assert_true(packets >= csv_file_count(load, trial, "rpcs"));
    assert_int_equal(csv_file_count(load, trial, "notifications"),
                     csv_file_count(load, trial, "server_notifications"));
    assert_true(csv_file_count(load, trial, "rpcs") >= sum_of(trial, &tables.operations, "count"));
}

/* The row has what has happened to the servers, with semicolons between. */
static uint64_t count_marks(size_t trial)
{
    uint64_t marks = 0;
    for (size_t row = 0; row < tables.timeline.rows; row++) {
        const char *text = csv_file_text(&tables.timeline, row, "marks");
        if (same_trial(&tables.load, trial, &tables.timeline, row) && text[0] != '\0')
            marks += 1 + count_words(text, ";");
    }
    return marks;
}

/* In each second, reads and writes together are what was answered. */
static void assert_reads_and_writes_agree(void)
{
    const struct csv_file *timeline = &tables.timeline;
    for (size_t row = 0; row < timeline->rows; row++) {
        uint64_t reads = csv_file_count(timeline, row, "reads"),
                 writes = csv_file_count(timeline, row, "writes");
        assert_int_equal(reads + writes, csv_file_count(timeline, row, "operations"));
        if (strcmp(csv_file_text(timeline, row, "mix"), "get=100") == 0)
            assert_int_equal(writes, 0);
        assert_int_equal(csv_file_text(timeline, row, "response_p50_us")[0] == '\0',
                         reads + writes == 0);
        assert_int_equal(csv_file_text(timeline, row, "read_p50_us")[0] == '\0', reads == 0);
        assert_int_equal(csv_file_text(timeline, row, "write_p99_us")[0] == '\0', writes < 100);
    }
}

/* The log has an interval for each row of latency.csv, and for each second with an answer. */
static void assert_log_is_whole(const char *path)
{
    char *text = read_text(path);
    size_t intervals = 0, seconds = 0, halves = 0, answered = 0, parts = 0;
    assert_int_equal(text[strlen(text) - 1], '\n');
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        bool is_second = strncmp(line, "Tag=second,", 11) == 0;
        bool is_half = strncmp(line, "Tag=second.reads,", 17) == 0 ||
                       strncmp(line, "Tag=second.writes,", 18) == 0;
        seconds += is_second;
        halves += is_half;
        intervals += !is_second && !is_half && strncmp(line, "Tag=", 4) == 0;
    }
    for (size_t row = 0; row < tables.timeline.rows; row++) {
        answered += csv_file_count(&tables.timeline, row, "operations") > 0;
        parts += csv_file_count(&tables.timeline, row, "reads") > 0;
        parts += csv_file_count(&tables.timeline, row, "writes") > 0;
    }
    assert_int_equal(intervals, tables.latency.rows);
    assert_int_equal(seconds, answered);
    assert_int_equal(halves, parts);
    free(text);
}

static bool has_file(const char *folder, const char *name)
{
    return access(in_work("%s/%s", folder, name), F_OK) == 0;
}

/* The file of the cells is written behind all trials: a disk that is full has no room for it. */
static void assert_no_parts(const char *folder, bool has_cells)
{
    static const char *const names[] = {"load.csv",    "timeline.csv", "operations.csv",
                                        "latency.csv", "latency.hlog", "manifest.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(has_file(folder, names[i]));
        assert_int_not_equal(access(in_work("%s/%s.part", folder, names[i]), F_OK), 0);
    }
    assert_int_equal(has_file(folder, "cells.csv"), has_cells);
    assert_false(has_file(folder, "cells.csv.part"));
}

/* Whole trials, the same ones in all files. */
static void read_load_files(const char *folder, bool has_cells)
{
    assert_no_parts(folder, has_cells);
    forget_tables();
    tables = (struct load_tables){
        .load = csv_file_read(in_work("%s/load.csv", folder)),
        .timeline = csv_file_read(in_work("%s/timeline.csv", folder)),
        .operations = csv_file_read(in_work("%s/operations.csv", folder)),
        .latency = csv_file_read(in_work("%s/latency.csv", folder)),
    };
    if (has_cells)
        tables.cells = csv_file_read(in_work("%s/cells.csv", folder));
    size_t rows[3] = {0};
    for (size_t trial = 0; trial < tables.load.rows; trial++) {
        rows[0] += rows_of(trial, &tables.timeline);
        rows[1] += rows_of(trial, &tables.operations);
        rows[2] += rows_of(trial, &tables.latency);
        assert_operations_agree(trial);
        assert_rates_agree(trial);
        assert_outstanding_is_known(trial);
        assert_int_equal(count_marks(trial), csv_file_count(&tables.load, trial, "marks"));
        assert_int_equal(csv_file_count(&tables.load, trial, "marks_left_out"), 0);
    }
    assert_int_equal(rows[0], tables.timeline.rows);
    assert_int_equal(rows[1], tables.operations.rows);
    assert_int_equal(rows[2], tables.latency.rows);
    assert_reads_and_writes_agree();
    assert_log_is_whole(in_work("%s/latency.hlog", folder));
}

static void read_load(const char *folder)
{
    read_load_files(folder, true);
}

/* ------------------------------------------------------------------ loads */

static void assert_all_kinds(size_t trials)
{
    assert_int_equal(tables.load.rows, trials);
    assert_int_equal(tables.cells.rows, 1);
    assert_int_equal(csv_file_count(&tables.cells, 0, "trials"), trials);
    for (size_t trial = 0; trial < trials; trial++) {
        assert_servers_agree(trial);
        assert_int_equal(csv_file_count(&tables.load, trial, "errors"), 0);
        /* Of 500 operations, 100 of them gets, a share of 2 % has none in one case of 24,000. */
        if (csv_file_count(&tables.load, trial, "gets") >= 100) {
            assert_true(csv_file_count(&tables.load, trial, "multis") > 0);
            assert_true(csv_file_count(&tables.load, trial, "trylocks") > 0);
            assert_true(csv_file_count(&tables.load, trial, "async_deletes") > 0);
        }
        assert_string_equal(csv_file_text(&tables.load, trial, "lag_p99_us"), "");
    }
}

/* The times of a busy machine may not stand; the counts do. */
static void assert_done(void)
{
    if (command.status != 0 && command.status != 4)
        assert_status(&command, 0);
    if (command.status == 4)
        assert_told(command.out, "the driver, not the server");
}

TEST_BETWEEN(all_files_agree, make, clear_away)
{
    command.settings = with_snapshots;
    command_run(&command, COMMAND("load", SMALL, "-t", "2", "-m", ALL, "-P", "2"));
    assert_done();
    assert_has(command.out, "results in out\n");
    read_load("out");
    assert_all_kinds(2);
    assert_true(csv_file_real(&tables.load, 0, "server_cores") > 0);
    assert_true(count_marks(0) + count_marks(1) > 0);
    assert_left(1);
}

TEST_BETWEEN(those_whose_servers_they_are_are_told, make, clear_away)
{
    char words[400];
    command_run(&command, COMMAND("load", SMALL, "-n", "2,3", "-t", "1", "--depth", "5", "--rate",
                                  "10,50", "-m", "create-delete=100", "--connect", outside));
    assert_done();
    snprintf(words, sizeof words,
             "zkherd: on %s: at most 3 sessions at a time, each with at most 10 requests "
             "outstanding, at most 50 a second, for about 8.0 s; others who use these servers "
             "will notice\n",
             outside);
    assert_has(command.err, words);
    command_run(&command, COMMAND("load", SMALL, "-t", "1", "-o", "other", "--connect", outside));
    assert_done();
    assert_has(command.err, "1 request outstanding, in a closed loop, for about 2.0 s; others");
    command_run(&command,
                COMMAND("load", SMALL, "-t", "1", "-o", "quiet", "-q", "--connect", outside));
    assert_null(strstr(command.err, "others"));
    assert_null(strstr(command.err, "other client"));
}

/* Three sessions, and the session of that zkherd itself. */
TEST_BETWEEN(who_uses_the_servers_already_is_told, make, clear_away)
{
    static struct command other;
    command_start(&other, COMMAND("load", "-n", "3", "--rate", "50", "--duration", "60s", "-q",
                                  "-o", "theirs", "--connect", outside));
    for (uint64_t until_ns = clock_now_ns() + PATIENCE_NS; count_outside().connections < 5;) {
        assert_true(clock_now_ns() < until_ns);
        usleep(10000);
    }
    command_run(&command, COMMAND("load", SMALL, "-n", "2", "-t", "1", "--connect", outside));
    command_end(&other, other.pid, SIGINT);
    assert_has(command.err, ": other clients: 4, ");
    assert_has(command.err, " requests a second\n");
}

/* A value that zkherd takes, and the server does not: of what a JVM is told, _JAVA_OPTIONS
 * outweighs the command line. */
TEST_BETWEEN(a_value_that_the_server_refuses_is_told, make, clear_away)
{
    command.settings =
        (const char *const[]){NO_PROGRAMS ":/usr/bin:/bin",
                              "_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -Djute.maxbuffer=4096", NULL};
    command_run(&command, COMMAND("load", SMALL, "-t", "1", "--size", "5000"));
    assert_status(&command, 4);
    assert_told(command.out, "lost its connection while it laid out its znodes: values may be "
                             "larger than the servers take (jute.maxbuffer)");
    read_load("out");
    assert_string_equal(csv_file_text(&tables.load, 0, "valid"), "no");
    assert_int_equal(tables.timeline.rows, 0); /* no second has ended */
    assert_left(1);
}

/* ------------------------------------------------------------------ early ends */

/* The first trial is whole, and there is no second. */
static void assert_first_is_kept(const char *folder, const char *cut_short)
{
    read_load(folder);
    assert_int_equal(tables.load.rows, 1);
    assert_int_equal(csv_file_count(&tables.load, 0, "trial"), 1);
    assert_servers_agree(0);
    assert_cut_short(folder, cut_short, 1);
}

/* Which lasts three seconds. */
TEST_BETWEEN(ctrl_c_in_the_second_trial, make, clear_away)
{
    command_start(&command, COMMAND("load", SMALL, "--duration", "3s", "--rate", "200", "-t", "50",
                                    "-P", "2", "-m", ALL, "--connect", outside));
    command_await_rows(&command, "out/load.csv.part", 1);
    pause_ms(300);
    command_end(&command, -command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: load: interrupted: 1 of 50 trials is kept\n");
    assert_has(command.out, "results in out\n");
    assert_first_is_kept("out", "interrupted");
    assert_left(1);
}

#define MANY "-n", "4", "--duration", "1s", "--warm-up", "0", "-t", "50", "-m", ALL

/* The trials that have ended are there, whole and in all files; it is said once which file has no
 * room, and the manifest says that they are not all. */
static void assert_out_of_space(const char *folder)
{
    char words[64];
    assert_status(&command, 3);
    snprintf(words, sizeof words, "zkherd: %s/", folder);
    assert_has(command.err, words);
    assert_has(command.err, ": writing it failed; free some space, or write elsewhere\n");
    assert_int_equal(count_words(command.err, "no space left"), 1);
    read_load_files(folder, has_file(folder, "cells.csv"));
    assert_true(tables.load.rows >= 1 && tables.load.rows < 50);
    assert_cut_short(folder, "no space left", tables.load.rows);
    assert_false(has_file(folder, "plots"));
    assert_left(1);
}

/* All that is left of the disk. */
static void fill_disk(void)
{
    static const char block[4096];
    int file = open(in_work("disk/others"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    while (write(file, block, sizeof block) > 0)
        ;
    close(file);
}

/* The mount is seen by this process and its children only, and ends with them. */
static void mount_small_disk(const char *options)
{
    if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mkdir(in_work("disk"), 0755) == 0 &&
        mount("none", in_work("disk"), "tmpfs", 0, options) == 0)
        return;
    print_message("skipped: needs the right to mount\n");
    skip();
}

TEST_BETWEEN(a_disk_that_fills_up_keeps_the_trials_before, make, clear_away)
{
    mount_small_disk("size=1m");
    command_start(&command, COMMAND("load", MANY, "-o", "disk/out", "--connect", outside));
    command_await_rows(&command, "disk/out/load.csv.part", 1);
    fill_disk();
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_out_of_space("disk/out");
}

/* All trials are there, and one of the files that need all of them is not. */
TEST_BETWEEN(a_file_that_cannot_be_written_is_in_the_manifest, make, clear_away)
{
    command_start(&command, COMMAND("load", SMALL, "-t", "1", "--connect", outside));
    command_await_rows(&command, "out/load.csv.part", 0);
    assert_int_equal(mkdir(in_work("out/cells.csv.part"), 0700), 0);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_status(&command, 3);
    assert_has(command.err, "out/cells.csv: ");
    assert_int_equal(rmdir(in_work("out/cells.csv.part")), 0);
    read_load_files("out", false);
    assert_int_equal(tables.load.rows, 1);
    char *manifest = read_text(in_work("out/manifest.json"));
    assert_null(strstr(manifest, "\"cut_short\": null"));
    free(manifest);
}

/* ------------------------------------------------------------------ broken on purpose, and seen */

TEST_BETWEEN(a_server_that_counts_otherwise_fails_the_load, make, clear_away)
{
    struct front front = front_start(&outside_server->connect.endpoints[0], MISCOUNTS);
    command_run(&command, COMMAND("load", SMALL, "-t", "1", "--connect", front.address));
    front_stop(&front);
    assert_status(&command, 1);
    assert_told(command.out, "get=80,set=20: trial 1 with 4 sessions fails: the servers counted ");
    assert_told(command.out, " writes, the sessions ");
    assert_has(command.out, "FAILS");
    read_load("out");
    assert_string_equal(csv_file_text(&tables.load, 0, "reconciled"), "no");
    assert_string_equal(csv_file_text(&tables.load, 0, "valid"), "no");
    assert_true(csv_file_count(&tables.load, 0, "server_writes") +
                    csv_file_count(&tables.load, 0, "server_reads") <
                csv_file_count(&tables.load, 0, "rpcs"));
}

static void await_requests(uint64_t requests)
{
    uint64_t before = count_outside().packets_received;
    while (command_runs(&command) && count_outside().packets_received < before + requests)
        pause_ms(20);
}

static void stop_for(pid_t process, long ms)
{
    pause_process(process);
    pause_ms(ms);
    kill(process, SIGCONT);
}

/* Stops the worker for so long, when the server has received so many requests. */
static void stop_the_worker(uint64_t requests, long ms)
{
    char name[32];
    await_requests(requests);
    read_name(command.pid, name, sizeof name);
    pid_t worker = find_ours(name, command.pid);
    assert_true(worker > 0);
    stop_for(worker, ms);
}

/* The same of the process that leads the load. */
static void stop_the_coordinator(uint64_t requests, long ms)
{
    await_requests(requests);
    stop_for(command.pid, ms);
}

/* Of 200 operations a second in three seconds, those due in 300 ms wait for the driver: one in
 * ten. */
TEST_BETWEEN(a_driver_that_stood_still_is_late, make, clear_away)
{
    command_start(&command, COMMAND("load", "-n", "4", "-t", "1", "--duration", "3s", "--warm-up",
                                    "500ms", "--rate", "200", "--depth", "100", "-m", "get=100",
                                    "-o", "out", "--connect", outside));
    stop_the_worker(200, 300);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_status(&command, 4);
    assert_told(command.out, "the driver, not the server, was late: ");
    read_load("out");
    const struct csv_file *load = &tables.load;
    assert_string_equal(csv_file_text(load, 0, "valid"), "no");
    assert_int_equal(csv_file_count(&tables.cells, 0, "driver_bound"), 1);
    assert_true(csv_file_real(load, 0, "offered_per_s") == 200);
    assert_true(csv_file_real(load, 0, "response_max_us") >= 250e3);
    assert_true(csv_file_real(load, 0, "lag_max_us") >= 250e3);
    assert_true(csv_file_real(load, 0, "lag_p99_us") >= 100e3);
    assert_true(csv_file_real(load, 0, "response_p99_us") >= 200e3);
}

static void closed_loop_told_of(void (*stop)(uint64_t requests, long ms), long ms)
{
    command_start(&command, COMMAND("load", "-n", "4", "-t", "1", "--duration", "2s", "--warm-up",
                                    "0", "-m", "get=100", "-o", "out", "--connect", outside));
    stop(1000, ms);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_status(&command, 4);
    assert_told(command.out, "stood still: the driver did not run for ");
    read_load("out");
    assert_string_equal(csv_file_text(&tables.load, 0, "valid"), "no");
    assert_int_equal(csv_file_count(&tables.cells, 0, "driver_bound"), 1);
}

/* No operation is due at any time, and none tells that the driver was late. */
TEST_BETWEEN(a_driver_that_stood_still_in_a_closed_loop_is_told, make, clear_away)
{
    closed_loop_told_of(stop_the_worker, 300);
}

/* What the servers and the workers have used of the CPU is read late then. */
TEST_BETWEEN(a_coordinator_that_stood_still_is_told, make, clear_away)
{
    closed_loop_told_of(stop_the_coordinator, 600);
}

/* From the second second until behind the end: all that was due is sent, if late. */
TEST_BETWEEN(a_driver_that_stood_still_at_the_end_sends_what_was_due, make, clear_away)
{
    command_start(&command, COMMAND("load", "-n", "4", "-t", "1", "--duration", "3s", "--warm-up",
                                    "0", "--rate", "40", "--depth", "100", "-m", "get=100", "-o",
                                    "out", "--connect", outside));
    uint64_t before = count_outside().reads;
    while (command_runs(&command) && count_outside().reads < before + 40)
        pause_ms(20);
    stop_the_worker(0, 3000);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_status(&command, 4);
    read_load("out");
    const struct csv_file *load = &tables.load;
    assert_int_equal(csv_file_count(load, 0, "unsent"), 0);
    assert_int_equal(csv_file_count(load, 0, "gets"), 120);
    assert_true(csv_file_real(load, 0, "lag_max_us") >= 1000e3);
    assert_true(csv_file_real(load, 0, "response_max_us") >= 1000e3);
}

TEST_GROUP(outside_start, outside_stop)
