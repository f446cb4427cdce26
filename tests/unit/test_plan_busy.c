// SPDX-License-Identifier: Apache-2.0
/* Searches by the trials of a simulation whose servers become faster or slower meanwhile, as those
 * of a machine that other programs use for a while. */
#include "bench/plan/internal.h"

#include "recipes/registry.h"
#include "sim/sim.h"

#include "tests/support/test.h"

static struct plan_options options;
static struct plan_samples samples;

/* Reads take so many times as long as by default. */
#define QUIET 1
#define BUSY  20

/* What the servers are like before so many trials, and then. */
struct machine {
    uint64_t before, after;
    size_t trials;
};

static enum judge_verdict run_trial(const struct search_probe *asked, uint64_t slower,
                                    uint64_t seed)
{
    struct connect_string servers = {.count = 1, .endpoints = {{.host = "simulated", .port = 1}}};
    struct sim_options simulation = sim_options_default();
    const struct plan_probe probe = plan_probe_of(&options.question, asked);
    struct trial_plan plan = plan_probe_trial(&probe, &recipe_nonscalable, DRIVER_SIMULATED);
    struct trial_result *result = NULL;
    struct error error;
    plan.root = "/plan";
    plan.fleet.servers = &servers;
    plan.fleet.seed = seed;
    simulation.costs.read_ns *= slower;
    const struct trial_host host = {
        .servers = &servers, .simulation = &simulation, .watch = {.interrupt_descriptor = -1}};
    assert_int_equal(trial_run(&plan, &host, &result, &error), ERROR_NONE);
    const struct plan_sample sample = plan_sample_take(
        &(struct plan_trial){.probe = &probe, .recipe = &recipe_nonscalable, .result = result});
    plan_samples_add(&samples, &sample);
    trial_result_free(result);
    return sample.verdict;
}

/* The answer. *since: the search has located a size since the machine changed. */
static struct search_answer search_on(const struct machine *machine, bool *since)
{
    const struct search_plan plan = plan_question_search(&options.question);
    struct search search;
    struct search_probe asked;
    search_init(&search, &plan);
    while (search_next(&search, &asked))
        search_report(&search, run_trial(&asked,
                                         search.step_count < machine->trials ? machine->before
                                                                             : machine->after,
                                         search.step_count + 1));
    struct search_answer answer = search_answer(&search);
    *since = search.moved_at > machine->trials;
    search_deinit(&search);
    free(samples.list);
    samples = (struct plan_samples){0};
    return answer;
}

static void ask(void)
{
    char why[200];
    struct plan_question *question = &options.question;
    *question = (struct plan_question){.locks = 1,
                                       .resolution_percent = 10,
                                       .trial_samples = 40,
                                       .processes = 1,
                                       .session_timeout_ns = 30 * NS_PER_S,
                                       .timeout_ns = 60 * NS_PER_S};
    assert_true(objective_parse("handoff p90 < 2ms", &question->objective, why, sizeof why));
    plan_question_complete(question, 200);
}

/* Whenever the machine changes, as long as a size is located afterwards. */
static void assert_answers(uint64_t before, uint64_t after, bool loses)
{
    bool since;
    size_t at = 1;
    ask();
    const struct machine same = {after, after, 0};
    const struct search_answer expected = search_on(&same, &since);
    assert_int_equal(expected.reason, SEARCH_FOUND);
    for (;; at++) {
        const struct machine machine = {before, after, at};
        const struct search_answer answer = search_on(&machine, &since);
        if (!since)
            break;
        assert_int_equal(answer.reason, SEARCH_FOUND);
        assert_int_equal(answer.passed, expected.passed);
        assert_int_equal(answer.failed, expected.failed);
        assert_true(answer.lost == 0 || (loses && answer.lost > expected.passed));
    }
    assert_in_range(at, 10, 100);
}

TEST(a_machine_that_is_busy_at_first_does_not_decide)
{
    assert_answers(BUSY, QUIET, false);
}

TEST(servers_that_become_slower_are_told_as_they_are_then)
{
    assert_answers(QUIET, BUSY, true);
}
