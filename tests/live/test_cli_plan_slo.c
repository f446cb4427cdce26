// SPDX-License-Identifier: Apache-2.0
/* zkherd plan --slo: small searches in a simulation, whose times are always the same, and one on a
 * real server; questions that are wrong. */
#include "tests/support/json_row.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

#include <unistd.h>

#define SIMULATED "-d", "simulated", "--seed", "5"

static struct command command;

static struct csv_file read_table(const char *name)
{
    return csv_file_read(in_work("out/%s", name));
}

/* The answer that was printed, alone, which is the row of answers.csv; *json's. */
static const json_t *read_answer(json_t **json)
{
    *json = schema_read_result(&command, "plan");
    struct csv_file answers = read_table("answers.csv");
    const json_t *result = json_array_get(json_object_get(*json, "results"), 0);
    const json_t *answer = json_array_get(json_object_get(result, "cells"), 0);
    assert_int_equal(json_array_size(json_object_get(*json, "results")), 1);
    assert_int_equal(json_array_size(json_object_get(result, "cells")), 1);
    assert_string_equal(json_string_value(json_object_get(result, "folder")), "out");
    /* All but run, target and servers. */
    assert_int_equal(assert_json_row(answer, &answers, 0), answers.columns - 3);
    csv_file_deinit(&answers);
    return answer;
}

static bool has_sentence(const json_t *answer, const char *words)
{
    size_t i;
    json_t *sentence;
    json_array_foreach(json_object_get(answer, "sentences"), i, sentence)
    {
        if (strstr(json_string_value(sentence), words) != NULL)
            return true;
    }
    return false;
}

/* How many trials of a recipe at a size in this stage had a verdict. */
static size_t count_trials(const char *recipe, uint64_t size, const char *stage,
                           const char *verdict)
{
    size_t count = 0;
    struct csv_file plan = read_table("plan.csv");
    for (size_t i = 0; i < plan.rows; i++)
        count += strcmp(csv_file_text(&plan, i, "recipe"), recipe) == 0 &&
                 csv_file_count(&plan, i, "size") == size &&
                 strcmp(csv_file_text(&plan, i, "stage"), stage) == 0 &&
                 strcmp(csv_file_text(&plan, i, "verdict"), verdict) == 0;
    csv_file_deinit(&plan);
    return count;
}

/* The herd's handoffs become slower with every waiter, those of the queue do not: the answer of the
 * one is an interval, and of the other the limit. */
COMMAND_TEST(two_recipes_in_a_simulation)
{
    command_run(&command, COMMAND("plan", "--slo", "handoff p90 < 2ms", "-r",
                                  "nonscalable,scalable", SIMULATED, "--at-most", "64",
                                  "--trial-time", "40", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_has(command.out, "\nscalable: 64 waiters meet handoff p90 < 2ms (5 of 5 fresh trials "
                            "passed), with\n    p90 = ");
    assert_has(command.out, "; no more were tried: --at-most 64.\n");
    assert_has(command.out, "\nresults in out\n");
    struct csv_file answers = read_table("answers.csv");
    assert_int_equal(answers.rows, 2);
    assert_string_equal(csv_file_text(&answers, 0, "reason"), "found");
    uint64_t passed = csv_file_count(&answers, 0, "passed"),
             failed = csv_file_count(&answers, 0, "failed");
    assert_true(passed > 8 && passed < failed && failed < 64);
    assert_true((failed - passed) * 10 <= passed || failed == passed + 1);
    assert_int_equal(count_trials("nonscalable", passed, "confirm", "pass"),
                     csv_file_count(&answers, 0, "fresh_passed"));
    assert_int_equal(count_trials("nonscalable", failed, "confirm", "fail"),
                     csv_file_count(&answers, 0, "failed_fresh_failed"));
    assert_true(csv_file_real(&answers, 0, "measured_us") < 2000);
    assert_string_equal(csv_file_text(&answers, 1, "reason"), "everything meets");
    csv_file_deinit(&answers);
    assert_int_equal(access(in_work("out/plots/plan.svg"), R_OK), 0);
    command_run(&command, COMMAND("plot", "out", "--plots", "svg"));
    assert_status(&command, 0);
}

/* Acquires take longer with every waiter, with a herd or without; handoffs only with one. */
COMMAND_TEST(the_herd_is_told_by_handoffs_if_acquires_are_judged)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command,
                COMMAND("plan", "--slo", "acquire p50 < 30s", "-r", "nonscalable,scalable",
                        SIMULATED, "--at-most", "16", "--trial-time", "50", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "\nnonscalable: herd coefficient");
    struct csv_file answers = read_table("answers.csv");
    assert_true(csv_file_real(&answers, 0, "herd_beta_low") > 0);
    assert_true(csv_file_real(&answers, 1, "herd_beta_low") < 0);
    assert_true(csv_file_real(&answers, 1, "herd_beta_high") < 0.05);
    csv_file_deinit(&answers);
}

COMMAND_TEST(a_rate_in_a_simulation)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command,
                COMMAND("plan", "--slo", "handoffs > 700/s", "-r", "nonscalable", SIMULATED,
                        "--at-most", "32", "--trial-time", "1s", "-q", "--json", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    json_t *json;
    const json_t *answer = read_answer(&json);
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "holds");
    assert_true(has_sentence(answer, "nonscalable: "));
    assert_true(
        has_sentence(answer, " waiters meet handoffs > 700/s (5 of 5 fresh trials passed)"));
    assert_true(has_sentence(answer, "nonscalable: herd coefficient: one more waiter costs "));
    json_decref(json);
    struct csv_file answers = read_table("answers.csv");
    assert_string_equal(csv_file_text(&answers, 0, "reason"), "found");
    assert_true(csv_file_real(&answers, 0, "handoffs_per_s") > 700);
    csv_file_deinit(&answers);
}

/* Any server makes a handoff in half a minute. */
COMMAND_TEST(a_private_server)
{
    command.settings = NULL;
    command_run(&command,
                COMMAND("plan", "--slo", "handoff p50 < 30s", "-r", "scalable", "--at-most", "2",
                        "--trial-time", "10", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "scalable: 2 waiters meet handoff p50 < 30s (");
    assert_has(command.out, "\nscalable: knee: ");
    struct csv_file plan = read_table("plan.csv");
    for (size_t i = 0; i < plan.rows; i++) {
        assert_string_equal(csv_file_text(&plan, i, "target"), "standalone");
        assert_string_not_equal(csv_file_text(&plan, i, "reconciled"), "no");
        bool has_vote = strcmp(csv_file_text(&plan, i, "verdict"), "pass") == 0;
        assert_true(!has_vote || strlen(csv_file_text(&plan, i, "gave_out")) > 0);
    }
    csv_file_deinit(&plan);
    assert_left(1);
}

/* With one lock five trials are run for the knee; with four, the fresh trials tell. */
COMMAND_TEST(the_knee_of_hot_locks)
{
    command.settings = NULL;
    command_run(&command, COMMAND("plan", "--slo", "handoff p50 < 30s", "--unknown", "locks", "-r",
                                  "scalable", "--at-most", "4", "--trial-time", "50", "--plots",
                                  "svg", "--json", "-o", "out"));
    assert_status(&command, 0);
    json_t *json;
    const json_t *answer = read_answer(&json);
    assert_string_equal(json_string_value(json_object_get(answer, "knee_state")), "known");
    assert_true(json_is_null(json_object_get(answer, "herd_state")));
    assert_true(has_sentence(answer, "scalable: knee: "));
    json_decref(json);
    struct csv_file answers = read_table("answers.csv"), plan = read_table("plan.csv");
    assert_int_equal(csv_file_count(&answers, 0, "knee_clients"), 2);
    assert_int_equal(csv_file_count(&answers, 0, "knee_demand_locks"), 4);
    assert_true(csv_file_real(&answers, 0, "knee_low") <= csv_file_real(&answers, 0, "knee"));
    assert_true(csv_file_real(&answers, 0, "knee") <= csv_file_real(&answers, 0, "knee_high"));
    assert_true(csv_file_real(&answers, 0, "knee_per_s") > 0);
    assert_true(count_trials("scalable", 1, "knee", "pass") >= 5);
    assert_true(csv_file_count(&answers, 0, "trials") < plan.rows);
    for (size_t i = 0; i < plan.rows; i++)
        assert_int_equal(csv_file_count(&plan, i, "step"), i + 1);
    csv_file_deinit(&answers);
    csv_file_deinit(&plan);
    assert_left(1);
}

/* On servers that others use a bystander reads all the time. */
COMMAND_TEST(servers_of_somebody_else)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command,
                COMMAND("plan", "--slo", "handoff p50 < 30s", "-r", "scalable", "--at-most", "1",
                        "--trial-time", "5", "--brake", "60s", "--connect", outside, "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "scalable: 1 waiter meets handoff p50 < 30s (");
    assert_has(command.err, ": at most 2 sessions at a time");
    assert_left(1);
    assert_nothing_left_outside(1);
}

/* Two clients that contend send more than ten requests a second, for longer than a second. */
COMMAND_TEST(a_trial_that_sends_more_than_it_may_is_ended)
{
    command.settings = NULL;
    command_run(&command,
                COMMAND("plan", "--slo", "handoffs > 1/s", "-r", "scalable", "--at-most", "1",
                        "--trial-time", "5s", "--max-rate", "10", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "scalable: nothing meets handoffs > 1/s: the best is 1 waiter; a trial "
                            "was ended:");
    struct csv_file plan = read_table("plan.csv");
    assert_int_equal(plan.rows, 1);
    assert_string_equal(csv_file_text(&plan, 0, "verdict"), "braked");
    assert_true(strlen(csv_file_text(&plan, 0, "reason")) > 0);
    csv_file_deinit(&plan);
    assert_left(1);
}

/* A busy machine may not end one trial in two seconds: then it gets more. */
COMMAND_TEST(time_that_is_used_up_ends_a_search)
{
    static const char *const times[] = {"2s", "8s", "32s"};
    (void)state;
    command.settings = NULL;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        command_run(&command,
                    COMMAND("plan", "--slo", "handoff p50 < 30s", "-r", "scalable", "--trial-time",
                            "20", "--max-time", times[i], "--plots", "svg", "-o", "out"));
        assert_status(&command, 4);
        if (strstr(command.err, "were up before the first trial had ended") == NULL)
            break;
        assert_left(0);
    }
    words_unwrap(command.out);
    assert_has(command.out, "its time was used up after");
    struct csv_file answers = read_table("answers.csv");
    assert_string_equal(csv_file_text(&answers, 0, "reason"), "out of time");
    csv_file_deinit(&answers);
}

/* tests/golden/plan-dry-run has the numbers. */
COMMAND_TEST(what_a_search_demands_is_told_beforehand)
{
    static const char *const without_java[] = {NO_JAVA, NULL};
    command.settings = without_java;
    command_run(&command, COMMAND("plan", "--slo", "handoff p99 < 50ms", "-r", "scalable,ticket",
                                  "--at-most", "99", "--servers", "1,3", "--dry-run", "--json"));
    assert_status(&command, 0);
    json_decref(schema_read_result(&command, "plan-dry-run"));
    assert_left(0);
}

/* What is whole is kept, and the interval so far is told. */
COMMAND_TEST(interrupted)
{
    command.settings = NULL;
    command_start(&command, COMMAND("plan", "--slo", "handoff p50 < 30s", "-r", "scalable",
                                    "--trial-time", "300", "--plots", "svg", "-o", "out"));
    command_await_rows(&command, "out/plan.csv.part", 1);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: plan: interrupted: ");
    assert_has(
        command.out,
        "scalable: no size is known to meet the objective; the search ended early: it was\n    "
        "cut short after ");
    struct csv_file answers = read_table("answers.csv");
    assert_string_equal(csv_file_text(&answers, 0, "reason"), "cut short");
    csv_file_deinit(&answers);
    assert_left(1);
}

TEST_GROUP(outside_start, outside_stop)
