// SPDX-License-Identifier: Apache-2.0
/* `zkherd run --background`: the price that others pay while a lock is contended for. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <math.h>

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

#define RATE 300
/* Ten sessions with 16 requests each: what comes due within this time can be sent, be they answered
 * or not; half of it, because the requests come at random. */
#define DEPTH_LASTS_US (1e6 * 10 * 16 / RATE / 2)

/* Ten holders, one after another, of 60 ms each. */
#define SMALL                                                                                      \
    "run", "-r", "nonscalable", "-n", "10", "-p", "free", "--hold", "60ms", "-o", "out",           \
        "--connect", outside

#define COMPANY                                                                                    \
    "cannot cross-check against the servers' counters: the servers count the requests "            \
    "of other sessions of zkherd, too"

static int make(void **state)
{
    command.settings = without_plots;
    return work_make(state);
}

/* What was answered in the time of the trial is what was offered in it, a Poisson process, but for
 * those still under way. */
static void assert_rate_is_offered(const struct csv_file *trials, size_t row)
{
    double per_s = csv_file_real(trials, row, "background_per_s"),
           seconds = csv_file_real(trials, row, "elapsed_s"),
           late_s = csv_file_real(trials, row, "background_max_us") / 1e6;
    double width = 5 * sqrt(RATE * seconds) + RATE * (late_s + 0.1);
    if (fabs(per_s - RATE) * seconds > width)
        fail_msg("%.1f a second in %.3f s, not %d", per_s, seconds, RATE);
}

static void assert_figures(const struct csv_file *trials, size_t row)
{
    assert_true(csv_file_real(trials, row, "elapsed_s") >= 0.6);
    assert_true(csv_file_real(trials, row, "background_alone_p50_us") > 0);
    assert_true(csv_file_real(trials, row, "background_alone_p99_us") >=
                csv_file_real(trials, row, "background_alone_p50_us"));
    assert_true(csv_file_count(trials, row, "background_requests") >= 100);
    assert_true(csv_file_real(trials, row, "background_p50_us") > 0);
    assert_true(csv_file_real(trials, row, "background_p99_us") >=
                csv_file_real(trials, row, "background_p50_us"));
    assert_true(csv_file_real(trials, row, "background_max_us") >=
                csv_file_real(trials, row, "background_p99_us"));
    /* Two measurements, not one. */
    assert_true(csv_file_real(trials, row, "background_p50_us") !=
                    csv_file_real(trials, row, "background_alone_p50_us") ||
                csv_file_real(trials, row, "background_p99_us") !=
                    csv_file_real(trials, row, "background_alone_p99_us"));
    assert_rate_is_offered(trials, row);
    assert_int_equal(csv_file_count(trials, row, "background_errors"), 0);
    if (csv_file_real(trials, row, "background_max_us") < DEPTH_LASTS_US)
        assert_int_equal(csv_file_count(trials, row, "background_unsent"), 0);
    assert_string_equal(csv_file_text(trials, row, "reconciled"), "na");
}

/* The times of a busy machine may not stand. */
static void assert_done(void)
{
    if (command.status != 4)
        assert_status(&command, 0);
    else
        assert_told(command.out, "overloaded: ");
}

TEST_BETWEEN(both_times_are_measured, make, work_remove)
{
    command_run(&command, COMMAND(SMALL, "-t", "2", "--background", "get=80,set=20@300"));
    assert_done();
    assert_int_equal(count_words(command.err, COMPANY), 1);
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 2);
    for (size_t row = 0; row < 2; row++) {
        assert_figures(&files.trials, row);
        assert_int_equal(csv_file_count(&files.trials, row, "handoffs"), 10);
    }
    run_files_deinit(&files);
    json_t *manifest = read_manifest("out");
    json_t *plan = json_object_get(manifest, "plan");
    assert_string_equal(json_string_value(json_object_get(plan, "background")),
                        "get=80,set=20@300");
    json_decref(manifest);
    assert_left(1);
    assert_nothing_left_outside(1);
}

/* Znodes of its own, and locks, are gone behind each trial. */
TEST_BETWEEN(znodes_of_the_background_are_cleared, make, work_remove)
{
    command_run(&command,
                COMMAND(SMALL, "-t", "1", "--background",
                        "create=30,delete=20,children=20,trylock=15,create-delete=15@300"));
    assert_done();
    struct run_files files = run_files_read("out");
    assert_figures(&files.trials, 0);
    run_files_deinit(&files);
    assert_nothing_left_outside(1);
}

/* With the load's ten sessions there are more than in the warm-up of the run; the other ephemeral
 * znode is the mark of the run. */
static void await_holder_beside_the_load(void)
{
    while (command_runs(&command) &&
           (count_outside().connections < 15 || count_outside().ephemerals_count < 2))
        pause_ms(20);
}

/* The second trial goes on for three seconds when the first client holds. */
TEST_BETWEEN(ctrl_c_ends_both, make, work_remove)
{
    command_start(&command, COMMAND(SMALL, "-t", "50", "-n", "3", "--hold", "1s", "--background",
                                    "get=50,create=50@300"));
    command_await_rows(&command, "out/trials.csv.part", 1);
    await_holder_beside_the_load();
    kill(-command.pid, SIGINT);
    command_finish(&command, COMMAND_END_NS);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: run: interrupted: 1 of 50 trials is kept\n");
    assert_cut_short("out", "interrupted", 1);
    assert_left(1);
    assert_nothing_left_outside(1);
}

/* The first of the workers is that of the load. */
static pid_t first_worker(void)
{
    char name[32];
    read_name(command.pid, name, sizeof name);
    return find_ours(name, command.pid);
}

/* Without the load the lock would be held for minutes. */
TEST_BETWEEN(a_trial_without_its_load_ends, make, work_remove)
{
    command_start(&command, COMMAND("run", "-r", "nonscalable", "-n", "4", "-p", "free", "--hold",
                                    "5m", "--timeout", "10m", "-t", "1", "-o", "out", "--connect",
                                    outside, "--background", "get=100@300"));
    await_holder_beside_the_load();
    pause_ms(300);
    kill(first_worker(), SIGKILL);
    command_finish(&command, COMMAND_END_NS);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: worker: a worker process exited unexpectedly: signal 9; ");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)
