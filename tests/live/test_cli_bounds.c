// SPDX-License-Identifier: Apache-2.0
/* What spares the servers: --max-clients, --max-rate, and what is said before a run on servers that
 * are somebody's. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static const char *const without_plots[] = {NO_PROGRAMS, NULL};

static struct command command = {.settings = without_plots};

/* Three trials of 38 requests, one of which is discarded. */
COMMAND_TEST(what_is_to_come_is_said)
{
    char words[160];
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "2", "--connect",
                                  outside, "-o", "out"));
    assert_status(&command, 0);
    snprintf(words, sizeof words,
             "zkherd: on %s: at most 8 sessions at a time, warm-ups 1, trials 2, requests 114\n",
             outside);
    assert_has(command.err, words);
}

COMMAND_TEST(in_free_pace_it_is_said_roughly)
{
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "1", "-p", "free",
                                  "--connect", outside, "-o", "out"));
    assert_has(command.err,
               "at most 8 sessions at a time, warm-ups 1, trials 1, requests about 76\n");
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "1", "-w", "steady",
                                  "--duration", "100ms", "--connect", outside, "-o", "timed"));
    assert_has(command.err,
               "at most 8 sessions at a time, warm-ups 1, trials 1, seconds of each 0.1\n");
}

/* The requests of 16 clients at 400 a second: 2 trials and one discarded, of 272 each. Times that
 * have the waiting in them are not told; latencies are. */
COMMAND_TEST(no_more_requests_than_allowed)
{
    command_run(&command, COMMAND("run", "-r", "nonscalable", "-n", "16", "-t", "2", "--max-rate",
                                  "400", "--connect", outside, "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.err, "warm-ups 1, trials 2, requests 816, requests a second 400\n");
    assert_true(command.took_ns >= 2 * NS_PER_S);
    struct run_files files = run_files_read("out");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(csv_file_count(&files.trials, i, "rpcs"), 272);
        assert_string_equal(csv_file_text(&files.trials, i, "valid"), "yes");
        assert_string_equal(csv_file_text(&files.trials, i, "reconciled"), "yes");
        assert_string_equal(csv_file_text(&files.trials, i, "elapsed_s"), "");
        assert_string_equal(csv_file_text(&files.trials, i, "drain_s"), "");
        assert_string_equal(csv_file_text(&files.trials, i, "handoffs_per_s"), "");
        assert_string_equal(csv_file_text(&files.trials, i, "acquire_p50_us"), "");
        assert_string_not_equal(csv_file_text(&files.trials, i, "handoff_p50_us"), "");
    }
    for (size_t i = 0; i < files.latency.rows; i++)
        assert_string_not_equal(csv_file_text(&files.latency, i, "kind"), "acquire");
    assert_true(files.latency.rows > 0);
    run_files_deinit(&files);
}

TEST_GROUP(outside_start, outside_stop)
