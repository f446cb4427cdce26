// SPDX-License-Identifier: Apache-2.0
/* zkherd plan --slo: small searches on real servers, with a load beside their trials and without;
 * what is written of them. Searches in a simulation are in tests/golden. */
#include "tests/support/busy.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static struct command command;

static int make(void **state)
{
    command.settings = NULL;
    return work_make(state);
}

/* With `report` a busy machine changes nothing. */
#define PLAN_IN(noise, ...)                                                                        \
    command_run(&command, COMMAND("plan", __VA_ARGS__, "-r", "scalable", "--noise", noise,         \
                                  "--plots", "svg", "-o", "out"))
#define PLAN(...) PLAN_IN("report", __VA_ARGS__)

static struct csv_file read_table(const char *name)
{
    return csv_file_read(in_work("out/%s", name));
}

static bool is(const struct csv_file *plan, size_t row, const char *column, const char *text)
{
    return strcmp(csv_file_text(plan, row, column), text) == 0;
}

/* ------------------------------------------------------------------ the lock alone */

/* A busy machine may not end one trial in two seconds: then it gets more. */
TEST_BETWEEN(time_that_is_used_up_ends_a_search, make, work_remove)
{
    static const char *const times[] = {"2s", "8s", "32s"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        PLAN("--slo", "handoff p50 < 30s", "--trial-time", "20", "--max-time", times[i]);
        assert_status(&command, 4);
        if (strstr(command.err, "were up before the first trial had ended") == NULL)
            break;
        assert_left(0);
    }
    words_unwrap(command.out);
    assert_has(command.out, "; out of time");
    struct csv_file answers = read_table("answers.csv");
    assert_true(is(&answers, 0, "reason", "out of time"));
    csv_file_deinit(&answers);
}

/* It says so once, and what it knows; with `report` such trials decide (above). */
TEST_BETWEEN(a_busy_machine_ends_a_search, make, work_remove)
{
    busy_start();
    PLAN_IN("retry", "--slo", "handoff p50 < 30s", "--trial-time", "400");
    busy_end();
    assert_status(&command, 4);
    words_unwrap(command.out);
    assert_has(command.out, " 1  undecided  2 of 2 no vote ");
    assert_has(command.out, "times: 2 of 2 trials disturbed (others used ");
    assert_has(command.out, "; disturbed");
    struct csv_file answers = read_table("answers.csv"), plan = read_table("plan.csv");
    assert_true(is(&answers, 0, "reason", "disturbed"));
    assert_int_equal(plan.rows, 2);
    csv_file_deinit(&answers);
    csv_file_deinit(&plan);
    assert_left(1);
}

/* ------------------------------------------------------------------ beside a load */

/* On a busy machine most trials may be no vote, and zkherd says so. */
static void assert_answered(const char *words)
{
    bool was_held_up = false;
    struct csv_file plan = read_table("plan.csv");
    for (size_t i = 0; i < plan.rows; i++) {
        const char *reason = csv_file_text(&plan, i, "reason");
        was_held_up |= strstr(reason, "overloaded: ") != NULL || strstr(reason, "stalled: ");
    }
    csv_file_deinit(&plan);
    words_unwrap(command.out);
    if (command.status == 4 && was_held_up) {
        assert_has(command.out, " undecided ");
        return;
    }
    assert_status(&command, 0);
    assert_has(command.out, words);
}

/* Every request that was due is a sample. Any server answers in half a minute. */
static void assert_samples(const struct csv_file *plan, size_t row)
{
    uint64_t samples = csv_file_count(plan, row, "samples"),
             least = is(plan, row, "long", "yes") ? 80 : 20;
    bool has_vote = is(plan, row, "verdict", "pass");
    assert_true(samples >= csv_file_count(plan, row, "background_requests") +
                               csv_file_count(plan, row, "background_unsent"));
    assert_true(!has_vote || (samples >= least && samples < 10 * least + 200));
    assert_int_equal(csv_file_count(plan, row, "background_errors"), 0);
    assert_true(is(plan, row, "measured_us", csv_file_text(plan, row, "background_p50_us")));
    assert_true(!has_vote || csv_file_real(plan, row, "background_max_us") > 0);
    assert_true(is(plan, row, "reconciled", "na"));
    assert_false(is(plan, row, "verdict", "fail"));
}

TEST_BETWEEN(an_objective_on_the_background, make, work_remove)
{
    PLAN("--slo", "background p50 < 30s", "--background", "get=80,set=20@400", "--at-most", "2",
         "--trial-time", "20");
    assert_answered(": 2 waiters passed ");
    struct csv_file plan = read_table("plan.csv");
    assert_true(plan.rows >= 2);
    for (size_t i = 0; i < plan.rows; i++) {
        assert_int_equal(csv_file_count(&plan, i, "background_rate"), 400);
        assert_int_equal(csv_file_count(&plan, i, "sessions"),
                         csv_file_count(&plan, i, "size") + 1);
        assert_samples(&plan, i);
    }
    csv_file_deinit(&plan);
    json_t *manifest = read_manifest("out");
    json_t *of_plan = json_object_get(manifest, "plan");
    assert_string_equal(json_string_value(json_object_get(of_plan, "background")),
                        "get=80,set=20@400");
    json_decref(manifest);
    assert_left(1);
}

TEST_BETWEEN(the_rate_of_the_background, make, work_remove)
{
    PLAN("--slo", "background p50 < 30s", "--unknown", "rate", "--background", "get=80,set=20",
         "-n", "3", "-k", "2", "--at-least", "200", "--at-most", "400", "--trial-time", "20");
    assert_answered(": 400 requests a second passed ");
    struct csv_file plan = read_table("plan.csv");
    for (size_t i = 0; i < plan.rows; i++) {
        uint64_t size = csv_file_count(&plan, i, "size");
        assert_true(size >= 200 && size <= 400);
        assert_int_equal(csv_file_count(&plan, i, "background_rate"), size);
        assert_int_equal(csv_file_count(&plan, i, "sessions"), 6);
        assert_int_equal(csv_file_count(&plan, i, "locks"), 2);
        assert_samples(&plan, i);
    }
    csv_file_deinit(&plan);
    assert_left(1);
}

/* The lock alone sends fewer: each client holds it for a tenth of a second. */
TEST_BETWEEN(requests_of_the_background_count_for_the_brake, make, work_remove)
{
    PLAN("--slo", "handoff p50 < 30s", "--unknown", "rate", "--background", "get=100", "--at-least",
         "600", "--hold", "100ms", "--max-rate", "300", "--at-most", "600", "--trial-time", "40");
    assert_status(&command, 0);
    words_unwrap(command.out);
    assert_has(command.out,
               ": 600 requests a second ended 1 of 1 no vote; a trial was ended: it sent ");
    struct csv_file plan = read_table("plan.csv");
    assert_int_equal(plan.rows, 1);
    assert_true(is(&plan, 0, "verdict", "braked"));
    assert_has(csv_file_text(&plan, 0, "reason"), "requests in a second, more than the 300 of");
    csv_file_deinit(&plan);
    assert_left(1);
}

/* The bystander, the trial and the load are at the servers at once, and all of them go. */
TEST_BETWEEN(on_servers_of_somebody_else, make, work_remove)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command, COMMAND("plan", "--slo", "background p50 < 30s", "--background",
                                  "get=80,create-delete=20@300", "-r", "scalable", "--at-most", "1",
                                  "--trial-time", "10", "--brake", "60s", "--connect", outside,
                                  "--noise", "report", "-o", "out"));
    assert_answered(": 1 waiter passed ");
    assert_has(command.err,
               ": at most 14 sessions at a time; transactions any; requests a second of "
               "--background 300; --dry-run says more");
    assert_left(1);
    assert_nothing_left_outside(1);
}

/* zkherd's own sessions are no strangers: the bystander's among them. */
TEST_BETWEEN(the_bystander_is_one_of_ours, make, work_remove)
{
    PLAN("--slo", "handoff p50 < 30s", "--at-most", "1", "--trial-time", "10", "--brake", "60s",
         "--connect", outside);
    assert_answered(": 1 waiter passed ");
    assert_has(command.err, "the servers count the requests of other sessions of zkherd, too");
    assert_left(1);
}

/* What is whole is kept, and the interval so far is told. */
TEST_BETWEEN(interrupted, make, work_remove)
{
    command_start(&command, COMMAND("plan", "--slo", "background p50 < 30s", "--background",
                                    "get=100@200", "-r", "scalable", "--trial-time", "300",
                                    "--noise", "report", "--plots", "svg", "-o", "out"));
    command_await_rows(&command, "out/plan.csv.part", 1);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: plan: interrupted: ");
    words_unwrap(command.out);
    assert_has(command.out, "scalable: background p50 < 30s: 1 waiter ");
    assert_has(command.out, "; cut short");
    size_t kept = 0, planned = 0;
    const char *share = strstr(command.out, "trials: ");
    assert_non_null(share);
    assert_int_equal(sscanf(share, "trials: %zu of the %zu that were planned", &kept, &planned), 2);
    assert_true(kept > 0 && planned >= kept + 5); /* at least those that would confirm an end */
    struct csv_file answers = read_table("answers.csv");
    assert_true(is(&answers, 0, "reason", "cut short"));
    csv_file_deinit(&answers);
    assert_left(1);
}

TEST_GROUP(outside_start, outside_stop)
