// SPDX-License-Identifier: Apache-2.0
/* The sizes that a simulation proposes for the first trial of a search. The clock is the test's. */
#include "bench/plan/internal.h"

#include "recipes/registry.h"
#include "sim/sim.h"

#include "tests/support/test.h"

#include <unistd.h>

static struct plan_options options;
static struct plan_question *const question = &options.question;
static struct sim_costs costs;
static int interrupts;
static struct error error;

/* So often the clock stands still; then it leaps by an hour. */
static uint64_t calls_left = UINT64_MAX;

uint64_t __wrap_clock_now_ns(void);

uint64_t __wrap_clock_now_ns(void)
{
    if (calls_left == 0)
        return 3601 * NS_PER_S;
    calls_left--;
    return NS_PER_S;
}

static void ask(const char *objective, uint64_t least, uint64_t most)
{
    char why[200];
    options = (struct plan_options){.recipe_count = 1};
    *question = (struct plan_question){.locks = 1,
                                       .least = least,
                                       .most = most,
                                       .resolution_percent = 10,
                                       .trial_samples = 40,
                                       .processes = 1,
                                       .session_timeout_ns = 30 * NS_PER_S,
                                       .timeout_ns = 60 * NS_PER_S};
    assert_true(objective_parse(objective, &question->objective, why, sizeof why));
    plan_question_complete(question, 1000);
    costs = sim_options_default().costs;
    interrupts = -1;
    calls_left = UINT64_MAX;
}

static enum error_kind make(void)
{
    struct progress progress;
    struct costs_file file = {.holds_for.server_count = 1, .fit.cost_count = COST_LIST_COUNT};
    double list_ns[COST_LIST_COUNT];
    cost_list_take(&costs, list_ns);
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        file.fit.costs[i].value = list_ns[i];
    progress_init(&progress, 0, true);
    return plan_proposals_make(&file, &options, &progress, interrupts, &error);
}

static struct plan_proposal propose(const struct recipe *recipe)
{
    options.recipes[0] = recipe;
    assert_int_equal(make(), ERROR_NONE);
    assert_true((options.proposals[0].size == 0) == (options.proposals[0].why != NULL));
    return options.proposals[0];
}

/* A handoff of the herd takes the longer the more wait: at the default costs about 60 us each. */
TEST(a_herd_is_proposed_by_its_limit)
{
    ask("handoff p90 < 2ms", 1, 500);
    const uint64_t few = propose(&recipe_nonscalable).size;
    assert_int_equal(propose(&recipe_nonscalable).size, few);
    ask("handoff p90 < 4ms", 1, 500);
    const uint64_t many = propose(&recipe_nonscalable).size;
    assert_true(few > 8 && many > few * 3 / 2 && many < 4 * few);
    costs.read_ns *= 10;
    assert_true(propose(&recipe_nonscalable).size < many);
}

TEST(a_proposal_lies_within_the_bounds)
{
    ask("handoff p90 < 2s", 1, 70);
    assert_int_equal(propose(&recipe_scalable).size, 70);
    ask("handoff p90 < 1us", 5, 70);
    assert_int_equal(propose(&recipe_nonscalable).size, 5);
}

/* Several processes and any driver: the simulation has its own. */
TEST(hot_locks_are_proposed_too)
{
    ask("acquire p90 < 5ms", 1, 300);
    question->unknown = PLAN_LOCKS;
    question->clients = 3;
    question->processes = 4;
    const uint64_t locks = propose(&recipe_scalable).size;
    assert_true(locks > 1 && locks < 300);
}

/* Up to then 1, 2, 4, ... have passed. */
TEST(what_passed_until_the_time_was_up_is_proposed)
{
    ask("handoff p90 < 4ms", 1, 500);
    const uint64_t whole = propose(&recipe_nonscalable).size;
    bool was_cut = false;
    uint64_t last = 0;
    for (uint64_t calls = 1; last < whole; calls *= 2) {
        calls_left = calls;
        const struct plan_proposal proposal = propose(&recipe_nonscalable);
        assert_true(proposal.size >= last && proposal.size <= whole);
        was_cut = was_cut || (proposal.size > 1 && proposal.size < whole);
        if (proposal.size == 0)
            assert_string_equal(proposal.why, "the simulation takes too long");
        last = proposal.size;
    }
    assert_true(was_cut);
}

TEST(what_cannot_be_simulated_is_not_proposed)
{
    ask("handoff p90 < 2ms", 20000, 30000);
    calls_left = 1; /* a simulation of so many sessions would take minutes */
    assert_string_equal(propose(&recipe_scalable).why,
                        "the least size has more than 20,000 sessions");
    ask("handoff p90 < 2s", 1, 10);
    question->trial_samples = 3;
    assert_string_equal(propose(&recipe_scalable).why, "its trials decide nothing");
}

TEST(each_recipe_has_its_proposal)
{
    ask("handoff p90 < 8ms", 1, 200);
    const uint64_t few = propose(&recipe_nonscalable).size;
    options.recipes[0] = &recipe_scalable;
    options.recipes[1] = &recipe_nonscalable;
    options.recipe_count = 2;
    assert_int_equal(make(), ERROR_NONE);
    assert_int_equal(options.proposals[0].size, question->most);
    assert_int_equal(options.proposals[1].size, few);
    assert_true(few < question->most);
}

TEST(an_interrupt_ends_the_simulation)
{
    int ends[2];
    ask("handoff p90 < 4ms", 1, 500);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    interrupts = ends[0];
    options.recipes[0] = &recipe_nonscalable;
    options.proposals[0].size = 7;
    assert_int_equal(make(), ERROR_INTERRUPTED);
    assert_int_equal(options.proposals[0].size, 7);
    close(ends[0]);
    close(ends[1]);
}
