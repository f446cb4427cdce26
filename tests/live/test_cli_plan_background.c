// SPDX-License-Identifier: Apache-2.0
/* zkherd plan --background: a load beside the trials of a search, on real servers: objectives on
 * its response times, and its rate as the unknown. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

#include <math.h>

static struct command command;

/* Any server answers in half a minute, so trials pass or are no vote. */
#define SMALL "-r", "scalable", "--trial-time", "20", "--plots", "svg", "-o", "out"

static int make(void **state)
{
    command.settings = NULL;
    return work_make(state);
}

static struct csv_file read_plan(void)
{
    return csv_file_read(in_work("out/plan.csv"));
}

static bool is(const struct csv_file *plan, size_t row, const char *column, const char *text)
{
    return strcmp(csv_file_text(plan, row, column), text) == 0;
}

/* Whether zkherd says of a trial that the machine held it up. */
static bool was_held_up(void)
{
    bool any = false;
    struct csv_file plan = read_plan();
    for (size_t i = 0; i < plan.rows; i++) {
        const char *reason = csv_file_text(&plan, i, "reason");
        any = any || strstr(reason, "overloaded: ") != NULL || strstr(reason, "stalled: ") != NULL;
    }
    csv_file_deinit(&plan);
    return any;
}

/* On a busy machine most trials may be no vote, and zkherd says so. */
static void assert_answered(const char *words)
{
    words_unwrap(command.out);
    if (command.status == 4 && was_held_up()) {
        assert_has(command.out, "were no vote; ");
        return;
    }
    assert_status(&command, 0);
    assert_has(command.out, words);
}

/* Every request that was due is a sample. */
static void assert_samples(const struct csv_file *plan, size_t row)
{
    uint64_t samples = csv_file_count(plan, row, "samples"),
             least = is(plan, row, "long", "yes") ? 80 : 20;
    bool has_vote = is(plan, row, "verdict", "pass");
    assert_true(samples >= csv_file_count(plan, row, "background_requests") +
                               csv_file_count(plan, row, "background_unsent"));
    assert_true(!has_vote || (samples >= least && samples < 10 * least + 200));
    assert_int_equal(csv_file_count(plan, row, "background_errors"), 0);
    assert_string_equal(csv_file_text(plan, row, "measured_us"),
                        csv_file_text(plan, row, "background_p50_us"));
    assert_true(!has_vote || csv_file_real(plan, row, "background_max_us") > 0);
    assert_string_equal(csv_file_text(plan, row, "reconciled"), "na");
    assert_string_not_equal(csv_file_text(plan, row, "verdict"), "fail");
}

TEST_BETWEEN(an_objective_on_the_background, make, work_remove)
{
    command_run(&command, COMMAND("plan", "--slo", "background p50 < 30s", "--background",
                                  "get=80,set=20@400", "--at-most", "2", SMALL));
    assert_answered("scalable: 2 waiters meet background p50 < 30s (");
    struct csv_file plan = read_plan();
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
    command_run(&command, COMMAND("plan", "--slo", "background p50 < 30s", "--unknown", "rate",
                                  "--background", "get=80,set=20", "-n", "3", "-k", "2",
                                  "--at-least", "200", "--at-most", "400", SMALL));
    assert_answered("scalable: 400 requests a second meet background p50 < 30s (");
    struct csv_file plan = read_plan();
    for (size_t i = 0; i < plan.rows; i++) {
        assert_true(csv_file_count(&plan, i, "size") >= 200 &&
                    csv_file_count(&plan, i, "size") <= 400);
        assert_int_equal(csv_file_count(&plan, i, "background_rate"),
                         csv_file_count(&plan, i, "size"));
        assert_int_equal(csv_file_count(&plan, i, "sessions"), 6);
        assert_int_equal(csv_file_count(&plan, i, "locks"), 2);
        assert_samples(&plan, i);
    }
    csv_file_deinit(&plan);
    assert_left(1);
}

/* A trial ends as soon as so many requests are over the limit that it fails in any case. */
TEST_BETWEEN(what_the_background_does_not_meet_fails, make, work_remove)
{
    command_run(&command, COMMAND("plan", "--slo", "background p99 < 1us", "--unknown", "rate",
                                  "--background", "get=100", "-r", "scalable", "--at-least", "200",
                                  "--trial-time", "1000", "--plots", "svg", "-o", "out"));
    assert_answered("scalable: nothing meets background p99 < 1us: the best is 200 requests a");
    struct csv_file plan = read_plan();
    for (size_t i = 0; i < plan.rows; i++) {
        assert_int_equal(csv_file_count(&plan, i, "over"), csv_file_count(&plan, i, "samples"));
        assert_true(csv_file_count(&plan, i, "samples") < 1000);
        assert_string_not_equal(csv_file_text(&plan, i, "verdict"), "pass");
    }
    csv_file_deinit(&plan);
}

/* The lock alone sends fewer: each client holds it for a tenth of a second. */
TEST_BETWEEN(requests_of_the_background_count_for_the_brake, make, work_remove)
{
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 30s", "--unknown", "rate",
                                  "--background", "get=100", "-r", "scalable", "--at-least", "600",
                                  "--hold", "100ms", "--max-rate", "300", "--at-most", "600",
                                  "--trial-time", "40", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out,
               "scalable: nothing meets handoff p50 < 30s: the best is 600 requests a");
    struct csv_file plan = read_plan();
    assert_int_equal(plan.rows, 1);
    assert_string_equal(csv_file_text(&plan, 0, "verdict"), "braked");
    assert_has(csv_file_text(&plan, 0, "reason"), "requests in a second, more than the 300 of");
    csv_file_deinit(&plan);
    assert_left(1);
}

/* The bystander, the trial and the load are at the servers at once, and all of them go. */
TEST_BETWEEN(on_servers_of_somebody_else, make, work_remove)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command,
                COMMAND("plan", "--slo", "background p50 < 30s", "--background",
                        "get=80,create-delete=20@300", "-r", "scalable", "--at-most", "1",
                        "--trial-time", "10", "--brake", "60s", "--connect", outside, "-o", "out"));
    assert_answered("scalable: 1 waiter meets background p50 < 30s (");
    assert_has(command.err, ": at most 2 sessions at a time, each of which sends its next request "
                            "as soon as it may, and beside them the load of --background: 10 "
                            "sessions, 300 a second; others");
    assert_left(1);
    assert_nothing_left_outside(1);
}

TEST_BETWEEN(interrupted, make, work_remove)
{
    command_start(&command,
                  COMMAND("plan", "--slo", "background p50 < 30s", "--background", "get=100@200",
                          "-r", "scalable", "--trial-time", "300", "--plots", "svg", "-o", "out"));
    command_await_rows(&command, "out/plan.csv.part", 1);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: plan: interrupted: ");
    assert_left(1);
}

/* Ten sessions of the load, 1,000 requests a second at most for as long as a trial may take, and
 * half a second before. */
TEST_BETWEEN(the_demand_has_the_load, make, work_remove)
{
    command.settings = (const char *const[]){NO_JAVA, NULL};
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 10ms", "-r", "scalable", "-n",
                                  "5", "--unknown", "rate", "--background", "get=100", "--at-least",
                                  "1000", "--at-most", "1000", "--dry-run"));
    assert_status(&command, 0);
    assert_has(command.out, "\nscalable         16 ");
    assert_has(command.out, "\nNothing was run.\n");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)
