// SPDX-License-Identifier: Apache-2.0
/* How long the searches of a plan are said to take. */
#include "bench/plan/internal.h"

#include "tests/support/test.h"

static struct plan_searches searches;
static struct plan_search list[2];

FIXTURE(set_up)
{
    struct plan_question question = {.unknown = PLAN_WAITERS, .least = 1, .most = 100};
    const struct search_plan plan = plan_question_search(&question);
    searches = (struct plan_searches){.list = list, .count = 2};
    for (size_t i = 0; i < 2; i++)
        search_init(&list[i].search, &plan);
    return 0;
}

FIXTURE(tear_down)
{
    for (size_t i = 0; i < 2; i++)
        search_deinit(&list[i].search);
    return 0;
}

/* The trials of both searches, a long one as four. */
static size_t count_as_short(void)
{
    const struct search_forecast first = search_foresee(&list[0].search),
                                 second = search_foresee(&list[1].search);
    return first.short_trials + second.short_trials + 4 * (first.long_trials + second.long_trials);
}

TEST_BETWEEN(before_the_first_trial_the_time_is_not_known, set_up, tear_down)
{
    uint64_t left_ns = 1;
    const struct search_forecast left = search_foresee(&list[0].search);
    assert_int_equal(plan_turn_foresee(&searches, &left_ns),
                     2 * (left.short_trials + left.long_trials));
    assert_int_equal(left_ns, 0);
}

/* Whichever kind has been made, what is left takes as long. */
TEST_BETWEEN(a_long_trial_takes_as_long_as_four, set_up, tear_down)
{
    static const bool kinds[] = {false, true, true, false};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t left_ns;
        plan_turn_learn(&searches, kinds[i], kinds[i] ? 8 * NS_PER_S : 2 * NS_PER_S);
        (void)plan_turn_foresee(&searches, &left_ns);
        assert_int_equal(left_ns, count_as_short() * 2 * NS_PER_S);
        search_report(&list[i % 2].search, JUDGE_PASS);
    }
}
