// SPDX-License-Identifier: Apache-2.0
/* What a search is said to demand, against sums over its trials that are written out here. */

#include "base/clock.h"
#include "bench/plan/internal.h"
#include "bench/target/resources.h"
#include "recipes/footprint.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static struct plan_options options;
static struct plan_question *const question = &options.question;

static void ask(const char *objective, uint64_t least, uint64_t most)
{
    char why[200];
    options = (struct plan_options){.question = {.least = least,
                                                 .most = most,
                                                 .resolution_percent = 100,
                                                 .locks = 1,
                                                 .processes = 1,
                                                 .timeout_ns = NS_PER_S}};
    assert_true(objective_parse(objective, &question->objective, why, sizeof why));
    plan_question_complete(question, UINT64_MAX);
}

static int ask_of_handoffs(void **state)
{
    (void)state;
    ask("handoff p90 < 50ms", 8, 8);
    return 0;
}

static struct plan_probe probe_of(uint64_t size, bool longer)
{
    return plan_probe_of(question, &(struct search_probe){.size = size, .longer = longer});
}

static uint64_t rpcs(uint64_t size, bool longer)
{
    const struct plan_probe probe = probe_of(size, longer);
    const struct trial_plan plan = plan_probe_trial(&probe, &recipe_nonscalable, DRIVER_EVENTS);
    return resources_traffic_of(&plan, 0).rpcs;
}

static uint64_t time_ns(uint64_t size, bool longer)
{
    return probe_of(size, longer).longest_ns;
}

static double expected(int figure)
{
    return plan_demand_expected(&options, &recipe_nonscalable).of[figure];
}

static double most(int figure)
{
    return plan_demand_most(&options, &recipe_nonscalable).of[figure];
}

/* Two votes, and five fresh trials, all of which are run if the size passes. */
TEST_BETWEEN(a_search_of_one_size, ask_of_handoffs, NULL)
{
    assert_int_equal(expected(PLAN_DEMAND_TRIALS), 2 + 5);
    assert_int_equal(expected(PLAN_DEMAND_RPCS), 2 * rpcs(8, false) + 5 * rpcs(8, true));
    assert_int_equal(expected(PLAN_DEMAND_TIME_NS), 2 * time_ns(8, false) + 5 * time_ns(8, true));
    assert_int_equal(expected(PLAN_DEMAND_SESSIONS), 9 + 1);
    assert_int_equal(expected(PLAN_DEMAND_WATCHES), 9);
    options.target.connect = true;
    options.target.servers.count = 3;
    assert_int_equal(expected(PLAN_DEMAND_SESSIONS), 9 + 1 + 3);
}

/* The costliest of all searches: both ends are confirmed; in trials, those below the most. */
TEST_BETWEEN(a_search_of_several_sizes, ask_of_handoffs, NULL)
{
    question->least = 4;
    question->most = 32;
    /* passes at 4, 8; fails at 16; 32 is above */
    assert_int_equal(expected(PLAN_DEMAND_TRIALS), 3 * 2 + 5 + 3 + 2);
    assert_int_equal(expected(PLAN_DEMAND_WATCHES), 33);
    /* passes at 4, 8, 16; fails at 32 */
    assert_int_equal(expected(PLAN_DEMAND_RPCS),
                     2 * (rpcs(4, false) + rpcs(8, false) + rpcs(16, false) + rpcs(32, false)) +
                         5 * rpcs(16, true) + 3 * rpcs(32, true));
}

TEST_BETWEEN(the_budget_is_the_most, ask_of_handoffs, NULL)
{
    double all = (double)(PLAN_TRIALS_MOST * rpcs(8, true)), bytes = most(PLAN_DEMAND_BYTES);
    assert_int_equal(most(PLAN_DEMAND_TRIALS), PLAN_TRIALS_MOST);
    assert_int_equal(most(PLAN_DEMAND_RPCS), all);
    assert_int_equal(most(PLAN_DEMAND_TIME_NS), PLAN_TRIALS_MOST * time_ns(8, true));
    assert_true(bytes > all * 40 && bytes < all * 1000);
    strcpy(options.target.servers.chroot, "/123456789");
    assert_true(most(PLAN_DEMAND_BYTES) >= bytes + 10 * all);
}

/* Five of each kind after each search, and up to nine if some of them tell nothing. */
TEST_BETWEEN(trials_for_a_knee_follow_the_search, ask_of_handoffs, NULL)
{
    question->unknown = PLAN_LOCKS;
    question->clients = 3;
    assert_int_equal(expected(PLAN_DEMAND_TRIALS), 7 + 5 + 5);
    assert_int_equal(expected(PLAN_DEMAND_RPCS), 2 * rpcs(8, false) + 5 * rpcs(8, true) +
                                                     5 * rpcs(1, false) + 5 * rpcs(8, true));
    assert_int_equal(most(PLAN_DEMAND_TRIALS), PLAN_TRIALS_MOST + 9 + 9);
    assert_int_equal(most(PLAN_DEMAND_RPCS),
                     (PLAN_TRIALS_MOST + 9) * rpcs(8, true) + 9 * rpcs(1, false));
    assert_int_equal(most(PLAN_DEMAND_WATCHES), 8 * 3);
    question->least = question->most = 1;
    assert_int_equal(expected(PLAN_DEMAND_TRIALS), 7 + 5);
    assert_int_equal(most(PLAN_DEMAND_TRIALS), PLAN_TRIALS_MOST + 9);
}

/* As many requests as the servers answer, unless there is a limit. */
TEST(a_trial_whose_time_decides)
{
    ask("handoffs > 100/s", 8, 8);
    assert_true(most(PLAN_DEMAND_RPCS) == (double)INFINITY);
    assert_true(most(PLAN_DEMAND_BYTES) == (double)INFINITY);
    assert_true(expected(PLAN_DEMAND_RPCS) == (double)INFINITY);
    options.guard.max_rate = 100;
    assert_int_equal(most(PLAN_DEMAND_RPCS), PLAN_TRIALS_MOST * 20 * 100);
    assert_true(most(PLAN_DEMAND_BYTES) < 1e3 * PLAN_TRIALS_MOST * 20 * 100);
    assert_int_equal(expected(PLAN_DEMAND_RPCS), 2 * 5 * 100 + 5 * 20 * 100);
}

/* The rate bounds all requests together; the load goes on for a while before the gate. */
TEST_BETWEEN(a_load_beside_the_lock, ask_of_handoffs, NULL)
{
    uint64_t alone = rpcs(8, true);
    double load = ceil(1000 * ((double)(time_ns(8, true) + BACKGROUND_WARM_UP_NS) / 1e9));
    question->background = (struct background_options){.given = true, .rate_per_s = 1000};
    assert_int_equal(most(PLAN_DEMAND_SESSIONS), 9 + 1 + BACKGROUND_SESSIONS);
    assert_int_equal(most(PLAN_DEMAND_RPCS), PLAN_TRIALS_MOST * (alone + (uint64_t)load));
    options.guard.max_rate = 1000;
    assert_int_equal(most(PLAN_DEMAND_RPCS), PLAN_TRIALS_MOST * (uint64_t)load);
}

TEST_BETWEEN(the_time_of_all_is_bounded, ask_of_handoffs, NULL)
{
    double all_ns = most(PLAN_DEMAND_TIME_NS);
    options.guard.max_time_ns = 2 * NS_PER_S;
    assert_int_equal(most(PLAN_DEMAND_TIME_NS), 2 * NS_PER_S);
    assert_int_equal(expected(PLAN_DEMAND_TIME_NS), 2 * NS_PER_S);
    options.guard.max_rate = 10;
    assert_int_equal(most(PLAN_DEMAND_RPCS), 20);
    options.guard.max_time_ns = 360000 * NS_PER_S;
    assert_int_equal(most(PLAN_DEMAND_TIME_NS), all_ns);
}
