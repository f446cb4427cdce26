// SPDX-License-Identifier: Apache-2.0
/* `tap --record`, `tap --read` and `load --replay`: a recording is counted as what was recorded,
 * and its requests, sent again, have the same replies; what is made is deleted. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/pause.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct command command;

/* Records a command, which gets the relay's address in place of {}. */
static void record(const char *const words[])
{
    const char *arguments[40] = {"zkherd", "tap", "--connect", outside, "--record",     "it.zkr",
                                 "--json", "-o",  "live",      "--",    command_program};
    size_t count = 11;
    for (size_t i = 0; words[i] != NULL; i++)
        arguments[count++] = words[i];
    command_run(&command, arguments);
    if (command.status != 4) /* a load is not valid on a busy machine */
        assert_status(&command, 0);
}
#define RECORD(...) record((const char *const[]){__VA_ARGS__, NULL})

#define RUN(pace)                                                                                  \
    "run", "--connect", "{}", "--noise", "off", "-r", "scalable", "-n", "20", "-t", "1", "-p",     \
        pace, "--no-files"

static json_t *replay(const char *speed, int status)
{
    command_run(&command, COMMAND("load", "--connect", outside, "--replay", "it.zkr", "--speed",
                                  speed, "--json", "-o", "replayed"));
    assert_status(&command, status);
    return schema_read_result(&command, "replay");
}

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Every recorded request was sent, and those of an operation have as many replies. */
static void assert_all_sent(const json_t *result)
{
    json_t *rows = json_object_get(result, "operations");
    assert_true(json_array_size(rows) > 3);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *operation = json_string_value(json_object_get(row, "operation"));
        if (strncmp(operation, "notification", strlen("notification")) == 0)
            continue;
        assert_int_equal(count_of(row, "replayed"), count_of(row, "recorded"));
        assert_int_equal(count_of(row, "equal") + count_of(row, "differ"),
                         count_of(row, "recorded"));
    }
    assert_int_equal(count_of(result, "unsent"), 0);
    assert_int_equal(count_of(result, "unanswered"), 0);
    assert_int_equal(count_of(result, "left_out"), 0);
}

/* And all error codes are equal. */
static void assert_all_equal(const json_t *result)
{
    assert_all_sent(result);
    assert_int_equal(json_array_size(json_object_get(result, "differences")), 0);
    assert_string_equal(json_string_value(json_object_get(result, "verdict")), "holds");
    json_t *rows = json_object_get(result, "operations");
    for (size_t i = 0; i < json_array_size(rows); i++)
        assert_int_equal(count_of(json_array_get(rows, i), "replayed_failed"),
                         count_of(json_array_get(rows, i), "recorded_failed"));
}

static void assert_same_file(const char *name)
{
    char *live = read_text(in_work("live/%s", name)), *again = read_text(in_work("again/%s", name));
    assert_string_equal(again, live);
    free(live);
    free(again);
}

/* The intervals of a log of histograms, without those of the probe. */
static void assert_same_latencies(void)
{
    char *live = read_text(in_work("live/latency.hlog")),
         *again = read_text(in_work("again/latency.hlog"));
    size_t compared = 0;
    for (char *line = strtok(again, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *payload = strrchr(line, ',');
        if (strncmp(line, "Tag=", 4) != 0)
            continue;
        char tag[64];
        snprintf(tag, sizeof tag, "%.*s,", (int)strcspn(line, ","), line);
        const char *same = strstr(live, tag);
        assert_non_null(same);
        assert_non_null(payload);
        same = strchr(same, '\n') - strlen(payload);
        assert_memory_equal(same, payload, strlen(payload));
        compared++;
    }
    assert_true(compared > 3);
    free(live);
    free(again);
}

COMMAND_TEST(a_recording_is_counted_as_what_was_recorded)
{
    static const char *const files[] = {"traffic.csv", "paths.csv",  "errors.csv",
                                        "watches.csv", "causes.csv", "herds.csv"};
    struct stat status;
    RECORD(RUN("free"));
    json_decref(schema_read_result(&command, "tap"));
    assert_int_equal(stat(in_work("it.zkr"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    command_run(&command, COMMAND("tap", "--read", "it.zkr", "--json", "-o", "again"));
    assert_status(&command, 0);
    json_decref(schema_read_result(&command, "tap"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_same_file(files[i]);
    assert_same_latencies();
    assert_left(3);
}

/* In lockstep each request but the first of all sessions follows from what was done before it. */
COMMAND_TEST(a_replay_of_a_lock_has_the_recorded_replies)
{
    RECORD(RUN("lockstep"));
    json_t *result = replay("1x", 0);
    assert_all_equal(result);
    json_decref(result);
    json_decref(read_manifest("replayed"));
    char *log = read_text(in_work("replayed/latency.hlog"));
    assert_non_null(strstr(log, "Tag=recorded.create,"));
    assert_non_null(strstr(log, "Tag=replayed.create,"));
    assert_non_null(strstr(log, "Tag=late,"));
    free(log);
    assert_nothing_left_outside(1);
    assert_left(3);
}

/* Requests that overlapped may be carried out in another order: then codes differ, which is said.
 */
COMMAND_TEST(a_replay_of_a_race_sends_all_that_was_recorded)
{
    RECORD(RUN("free"));
    command_run(&command, COMMAND("load", "--connect", outside, "--replay", "it.zkr", "--json",
                                  "--no-files"));
    json_t *result = schema_read_result(&command, "replay");
    bool differs = json_array_size(json_object_get(result, "differences")) > 0;
    assert_status(&command, differs ? 1 : 0);
    assert_all_sent(result);
    json_decref(result);
    assert_nothing_left_outside(1);
}

COMMAND_TEST(a_replay_of_a_load_has_the_recorded_replies_at_any_speed)
{
    RECORD("load", "--connect", "{}", "--noise", "off", "-n", "8", "--rate", "200", "-t", "1",
           "--duration", "2s", "--warm-up", "0s", "--no-files");
    for (int i = 0; i < 2; i++) {
        json_t *result = replay(i == 0 ? "1x" : "4x", 0);
        double seconds = json_number_value(json_object_get(result, "seconds"));
        assert_true(i > 0 || seconds > 2);
        assert_all_equal(result);
        json_decref(result);
        assert_int_equal(rename(in_work("replayed"), in_work("replayed%d", i)), 0);
        assert_nothing_left_outside(1);
    }
}

COMMAND_TEST(a_replay_that_is_interrupted_deletes_what_it_has_made)
{
    RECORD("load", "--connect", "{}", "--noise", "off", "-n", "4", "--rate", "50", "-t", "1",
           "--duration", "3s", "--warm-up", "0s", "--no-files");
    command_start(&command, COMMAND("load", "--connect", outside, "--replay", "it.zkr", "--speed",
                                    "0.1x", "--no-files"));
    struct four_letter_counters before = count_outside();
    while (count_outside().packets_received < before.packets_received + 40) {
        assert_true(command_runs(&command));
        pause_ms(5);
    }
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_non_null(strstr(command.out, "interrupted"));
    assert_nothing_left_outside(1);
}

COMMAND_TEST(a_recorder_that_is_killed_leaves_what_can_be_read)
{
    command_start(&command, COMMAND("tap", "--connect", outside, "--record", "it.zkr", "--json",
                                    "--no-files", "--", "sleep", "1000"));
    struct stat status = {0};
    while (stat(in_work("it.zkr"), &status) != 0 || status.st_size == 0) {
        assert_true(command_runs(&command));
        pause_ms(5);
    }
    command_end(&command, command.pid, SIGKILL);
    command_run(&command, COMMAND("tap", "--read", "it.zkr", "--no-files"));
    assert_status(&command, 0);
    assert_non_null(strstr(command.out, "It has no end"));
}

COMMAND_TEST(wrong_files_and_options_are_refused)
{
    static const struct refusal of_tap[] = {
        {{"--read", "it.zkr"}, "no recording"},
        {{"--read", "it.zkr", "--connect", "h:1"}, "without servers"},
        {{"--read", "it.zkr", "--record", "new.zkr"}, "without a relay"},
        {{"--with-data"}, "add --record"},
        {{"--record", "it.zkr", "--connect", outside}, "already exists"},
    };
    static const struct refusal of_load[] = {
        {{"--replay", "it.zkr"}, "no recording"},
        {{"--replay", "it.zkr", "--rate", "100"}, "--rate"},
        {{"--replay", "it.zkr", "-n", "5"}, "--sessions"},
        {{"--replay", "it.zkr", "--speed", "0"}, "0.1x to 1000x"},
        {{"--replay", "it.zkr", "--speed", "2y"}, "0.1x to 1000x"},
        {{"--speed", "2x"}, "nothing is replayed"},
        {{"--replay", "it.zkr", "--servers", "1,3"}, "one ensemble"},
    };
    FILE *file = fopen(in_work("it.zkr"), "w");
    assert_non_null(file);
    fputs("not one\n", file);
    fclose(file);
    ASSERT_LINES_REFUSED(&command, "tap", of_tap);
    ASSERT_LINES_REFUSED(&command, "load", of_load);
    assert_left(1);
}

TEST_GROUP(outside_start, outside_stop)
