// SPDX-License-Identifier: Apache-2.0
/* A plan's max_rate, in the exact time of a simulation. */
#include "tests/support/simulate.h"
#include "tests/support/test.h"

static struct trial_result *run_at(uint64_t rate, uint64_t timeout_ns, struct trial_plan *same)
{
    struct trial_plan plan = live_plan("nonscalable", 16);
    plan.root = ROOT;
    plan.max_rate = rate;
    plan.fleet.timeout_ns = timeout_ns;
    struct trial_result *result = simulate_trial(&plan, same);
    live_assert_good(result);
    return result;
}

/* The last release is one request, or two: all before it have been waited for. */
TEST(the_average_is_kept)
{
    static const uint64_t rates[] = {10, 100, 1000};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct trial_plan same;
        struct trial_result *result = run_at(rates[i], 10 * NS_PER_S, &same);
        uint64_t rpcs = tally_rpcs(&result->total);
        assert_int_equal(rpcs, 272);
        assert_true(result->elapsed_ns >= (rpcs - 2) * NS_PER_S / rates[i]);
        assert_true(result->elapsed_ns <= rpcs * NS_PER_S / rates[i] + 100 * NS_PER_MS);
        trial_result_free(result);
    }
}

TEST(without_a_rate_nothing_waits)
{
    struct trial_plan same;
    struct trial_result *result = run_at(0, 10 * NS_PER_S, &same);
    assert_true(result->elapsed_ns < NS_PER_S);
    trial_result_free(result);
}

/* Fifteen requests of one step are waited for: three seconds. */
TEST(waiting_as_planned_is_not_being_stuck)
{
    struct trial_plan same;
    trial_result_free(run_at(5, NS_PER_S, &same));
}

/* Nor does it change what is counted, to the byte. */
TEST(the_counts_are_the_same)
{
    struct trial_plan one, other;
    struct trial_result *paced = run_at(100, 10 * NS_PER_S, &one);
    struct trial_result *unpaced = run_at(0, 10 * NS_PER_S, &other);
    assert_memory_equal(&paced->total, &unpaced->total, sizeof paced->total);
    trial_result_free(paced);
    trial_result_free(unpaced);
}
