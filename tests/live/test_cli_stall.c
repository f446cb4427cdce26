// SPDX-License-Identifier: Apache-2.0
/* A run whose server stands still for a while: its trial's counts stand, and it is said everywhere
 * that its times do not. */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <signal.h>

#define FREEZE_MS 3000

static struct command command;

/* Of the stalled trial; a busy machine may have stalled others. */
static void assert_manifest_tells(const struct run_files *files, size_t stalled)
{
    json_t *manifest = read_manifest("out");
    json_t *stalls = json_object_get(manifest, "stalls");
    json_t *trials = json_object_get(stalls, "trials");
    const char *server = json_string_value(
        json_object_get(json_array_get(json_object_get(manifest, "servers"), 0), "address"));
    uint64_t count = 0;
    size_t at = 0;
    for (size_t i = 0; i < files->trials.rows; i++) {
        count += csv_file_count(&files->trials, i, "stalls");
        at += i < stalled && csv_file_count(&files->trials, i, "stalls") > 0;
    }
    json_t *trial = json_array_get(trials, at);
    assert_int_equal(json_integer_value(json_object_get(stalls, "count")), count);
    assert_true(json_real_value(json_object_get(stalls, "seconds")) > FREEZE_MS / 2e3);
    assert_string_equal(json_string_value(json_object_get(trial, "recipe")), "scalable");
    assert_int_equal(json_integer_value(json_object_get(trial, "clients")), 3);
    assert_int_equal(json_integer_value(json_object_get(trial, "trial")), stalled + 1);
    assert_string_equal(json_string_value(json_object_get(trial, "server")), server);
    assert_has(csv_file_text(&files->trials, stalled, "reason"), server);
    json_decref(manifest);
}

/* Lockstep, one trial after the other; the server stops in the second, which is long enough for a
 * machine that is seconds late. */
static void run_with_a_stall(void)
{
    command_start(&command, COMMAND("run", "-n", "3", "-t", "3", "-r", "scalable", "-w", "steady",
                                    "--duration", "8s", "--retries", "0", "-o", "out"));
    command_await_rows(&command, "out/trials.csv.part", 1);
    pid_t java = find_ours("java", 0);
    assert_true(java > 0);
    pause_ms(2000);
    pause_process(java);
    pause_ms(FREEZE_MS);
    kill(java, SIGCONT);
    command_finish(&command, COMMAND_LIMIT_NS);
}

COMMAND_TEST(a_stalled_trial_is_told_everywhere)
{
    run_with_a_stall();
    assert_status(&command, 4);
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 3);
    for (size_t i = 0; i < 3; i++) {
        bool stalled = csv_file_count(&files.trials, i, "stalls") > 0;
        assert_string_equal(csv_file_text(&files.trials, i, "valid"), stalled ? "no" : "yes");
        assert_string_equal(csv_file_text(&files.trials, i, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&files.trials, i, "violations"), 0);
    }
    assert_true(csv_file_real(&files.trials, 1, "stalled_s") > FREEZE_MS / 2e3);
    assert_manifest_tells(&files, 1);
    assert_told(command.out, "trial 2 with ");
    assert_told(command.out, " is not valid: stalled: 127.0.0.1:");
    run_files_deinit(&files);
    assert_left(1);
}
