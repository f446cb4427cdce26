// SPDX-License-Identifier: Apache-2.0
/* What spares the servers: --max-clients, --max-rate, and what is said before a run on servers that
 * are somebody's. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static const char *const without_plots[] = {NO_PROGRAMS, NULL};

static struct command command = {.settings = without_plots};

/* The number that stands right before these words. */
static double number_before(const char *text, const char *words)
{
    const char *end = strstr(text, words);
    if (end == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
    while (end[-1] != ' ')
        end--;
    return atof(end);
}

/* Three trials of 38 requests, one of which is discarded. */
COMMAND_TEST(what_is_to_come_is_said)
{
    char words[160];
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "2", "--connect",
                                  outside, "-o", "out"));
    assert_status(&command, 0);
    snprintf(words, sizeof words,
             "zkherd: on %s: at most 8 sessions at a time, 114 requests and up to ", outside);
    assert_has(command.err, words);
    assert_has(command.err, " MB in 2 trials and 1 warm-up\n");
    struct run_files files = run_files_read("out");
    double bytes = 0;
    for (size_t i = 0; i < 2; i++)
        bytes += (double)(csv_file_count(&files.trials, i, "bytes_sent") +
                          csv_file_count(&files.trials, i, "bytes_received"));
    run_files_deinit(&files);
    double told = number_before(command.err, " MB in 2") * 1e6;
    assert_true(told > bytes * 3 / 2 && told < bytes * 3 / 2 * 4);
}

COMMAND_TEST(in_free_pace_it_is_said_roughly)
{
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "1", "-p", "free",
                                  "--connect", outside, "-o", "out"));
    assert_has(command.err, "at most 8 sessions at a time, about 76 requests and 0.0");
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "1", "-w", "steady",
                                  "--duration", "100ms", "--connect", outside, "-o", "timed"));
    assert_has(command.err,
               "at most 8 sessions at a time, 1 trial of 100 ms after 1 drain; requests: as many "
               "as the servers answer\n");
}

COMMAND_TEST(of_servers_of_its_own_nothing_is_said)
{
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "scalable", "-n", "8", "-t", "1",
                                  "-o", "out"));
    assert_status(&command, 0);
    assert_null(strstr(command.err, "sessions at a time"));
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "8", "-t", "1", "--connect",
                                  outside, "-q", "-o", "quiet"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
}

COMMAND_TEST(more_clients_than_allowed_are_left_out)
{
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "scalable", "-n", "4..32x2", "-t",
                                  "2", "--max-clients", "16", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: n = 32 left out: --max-clients 16\n");
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 6);
    for (size_t i = 0; i < files.trials.rows; i++)
        assert_true(csv_file_count(&files.trials, i, "clients") <= 16);
    run_files_deinit(&files);
    json_t *manifest = read_manifest("out");
    const json_t *plan = json_object_get(manifest, "plan");
    assert_int_equal(json_integer_value(json_object_get(plan, "max_clients")), 16);
    assert_true(json_is_null(json_object_get(plan, "max_rate")));
    json_decref(manifest);
    command_run(&command,
                COMMAND("run", "-d", "simulated", "-n", "4,8", "--max-clients", "3", "-o", "none"));
    assert_refused(&command, 2,
                   "zkherd: --max-clients 3: below the smallest number of --clients; see zkherd "
                   "run --help");
}

/* The requests of 16 clients at 400 a second: 2 trials and one discarded, of 272 each. Times that
 * have the waiting in them are not told; latencies are. */
COMMAND_TEST(no_more_requests_than_allowed)
{
    command_run(&command, COMMAND("run", "-r", "nonscalable", "-n", "16", "-t", "2", "--max-rate",
                                  "400", "--connect", outside, "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.err, "816 requests and up to ");
    assert_has(command.err, " in 2 trials and 1 warm-up, at most 400 per second: at least 2.0 s\n");
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
    command_run(&command, COMMAND("run", "-p", "free", "--max-rate", "400"));
    assert_refused(&command, 2,
                   "zkherd: --max-rate with --pace free: clients that contend freely cannot be "
                   "held back: leave out --pace; see zkherd run --help");
}

TEST_GROUP(outside_start, outside_stop)
