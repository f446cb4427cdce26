// SPDX-License-Identifier: Apache-2.0
/* A run beside programs that need all cores: what is said, what is kept, and what is made again. */
#include "tests/support/busy.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static struct command command;

static void run(const char *noise)
{
    command_run(&command, COMMAND("run", "-n", "3", "-t", "2", "-r", "scalable", "--noise", noise,
                                  "--retries", "1", "-o", "out"));
}

COMMAND_TEST(disturbed_trials_are_made_again_and_both_are_kept)
{
    busy_start();
    run("retry");
    busy_end();
    assert_status(&command, 4);
    assert_told(command.out, "times: 2 of 2 trials disturbed (others used ");
    assert_has(command.out, "made again: 1 trial (first attempts in made_again.csv)\n");
    assert_has(command.out, "~"); /* the times are shown all the same */
    struct run_files files = run_files_read("out");
    struct csv_file again = csv_file_read(in_work("out/made_again.csv"));
    assert_int_equal(files.trials.rows, 2);
    assert_int_equal(again.rows, 1);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(csv_file_text(&files.trials, i, "valid"), "no");
        assert_has(csv_file_text(&files.trials, i, "reason"), "disturbed: others used");
        assert_string_equal(csv_file_text(&files.trials, i, "noise_disturbed"), "yes");
        assert_string_equal(csv_file_text(&files.trials, i, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&files.trials, i, "violations"), 0);
        assert_int_equal(csv_file_count(&files.trials, i, "attempt"), i == 0 ? 2 : 1);
        assert_true(csv_file_real(&files.trials, i, "noise_others_cores") > 0);
    }
    assert_string_equal(csv_file_text(&again, 0, "trial"),
                        csv_file_text(&files.trials, 0, "trial"));
    assert_int_equal(csv_file_count(&again, 0, "attempt"), 1);
    json_t *manifest = read_manifest("out");
    json_t *noise = json_object_get(manifest, "noise");
    assert_int_equal(json_integer_value(json_object_get(noise, "attempts_made_again")), 1);
    assert_int_equal(json_integer_value(json_object_get(noise, "attempts_disturbed")), 3);
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), 2);
    json_decref(manifest);
    csv_file_deinit(&again);
    run_files_deinit(&files);
}

COMMAND_TEST(without_noise_nothing_is_measured)
{
    run("off");
    assert_status(&command, 0);
    struct run_files files = run_files_read("out");
    assert_string_equal(csv_file_text(&files.trials, 0, "noise_others_cores"), "");
    assert_string_equal(csv_file_text(&files.trials, 0, "noise_disturbed"), "");
    assert_int_equal(csv_file_count(&files.trials, 0, "attempt"), 1);
    json_t *manifest = read_manifest("out");
    assert_true(json_is_null(json_object_get(manifest, "noise")));
    json_decref(manifest);
    run_files_deinit(&files);
}

/* The run takes less than the wait by itself, beside what it waits for. */
COMMAND_TEST(a_trial_waits_for_a_quiet_machine)
{
    busy_start();
    command_run(&command, COMMAND("run", "-n", "2", "-t", "1", "-r", "scalable", "--noise",
                                  "report", "--wait-for-quiet", "7s", "-o", "out"));
    busy_end();
    assert_status(&command, 0);
    assert_true(command.took_ns > 7 * NS_PER_S);
}
