// SPDX-License-Identifier: Apache-2.0
/* What a search is said to demand, against sums that are written out here. */

#include "base/clock.h"
#include "bench/plan/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

static struct search_plan search;
static struct plan_demand_given given;
static struct plan_demand_trial trial;
static const struct recipe *nonscalable;

/* Of one second, or of four. */
static struct plan_demand_trial trial_of(void *context, const struct recipe *recipe,
                                         const struct search_probe *probe)
{
    struct plan_demand_trial made = *(const struct plan_demand_trial *)context;
    made.plan.recipe = recipe;
    made.plan.fleet.sessions = (uint32_t)probe->size;
    made.longest_ns *= probe->longer ? 4 : 1;
    return made;
}

/* A drain of n clients of the non-scalable lock makes n^2 + n requests. */
static int give(void **state)
{
    (void)state;
    nonscalable = registry_find("nonscalable");
    search = (struct search_plan){
        .least = 8, .most = 8, .votes = 3, .fresh = 5, .resolution_percent = 10, .trials_most = 10};
    trial = (struct plan_demand_trial){.plan = {.workload = WORKLOAD_DRAIN, .locks = 1},
                                       .longest_ns = NS_PER_S};
    given = (struct plan_demand_given){
        .search = &search, .trial = trial_of, .context = &trial, .companions = 4};
    return 0;
}

static struct plan_demand expected(void)
{
    return plan_demand_expected(&given, nonscalable, 0);
}

static struct plan_demand most(void)
{
    return plan_demand_most(&given, nonscalable);
}

/* Two votes, and five fresh trials, all of which are run if the size passes. */
TEST_BETWEEN(a_search_of_one_size, give, NULL)
{
    struct plan_demand demand = expected();
    assert_int_equal(demand.trials, 2 + 5);
    assert_int_equal(demand.rpcs, (2 + 5) * (64 + 8));
    assert_int_equal(demand.time_ns, (2 + 5 * 4) * NS_PER_S);
    assert_int_equal(demand.sessions, 8 + 4);
    assert_int_equal(demand.watches, 8);
}

/* The costliest of all searches: at 16 and 8 both ends are confirmed. */
TEST_BETWEEN(a_search_of_several_sizes, give, NULL)
{
    search.least = 4;
    search.most = 16;
    search.trials_most = 100;
    search.resolution_percent = 100;
    struct plan_demand demand = expected();
    assert_int_equal(demand.sessions, 16 + 4);
    assert_int_equal(demand.watches, 16);
    /* passes at 4, 8; fails at 16 */
    assert_int_equal(demand.trials, 3 * 2 + 5 + 3);
    /* passes at 4, 8, 16 */
    assert_int_equal(demand.rpcs, 2 * (16 + 4) + 2 * (64 + 8) + (2 + 5) * (256 + 16));
}

/* The way up from the least size is left out. */
TEST_BETWEEN(a_search_that_begins_at_a_proposal, give, NULL)
{
    search.least = 4;
    search.most = 16;
    search.trials_most = 100;
    search.resolution_percent = 100;
    struct plan_demand demand = plan_demand_expected(&given, nonscalable, 16);
    /* fails at 16, 8; passes at 4 */
    assert_int_equal(demand.trials, 3 * 2 + 5 + 3);
    /* passes at 16 */
    assert_int_equal(demand.rpcs, (2 + 5) * (256 + 16));
}

TEST_BETWEEN(the_budget_is_the_most, give, NULL)
{
    struct plan_demand demand = most();
    assert_int_equal(demand.trials, 10);
    assert_int_equal(demand.rpcs, 10 * (64 + 8));
    assert_int_equal(demand.time_ns, 10 * 4 * NS_PER_S);
    assert_int_equal(demand.sessions, 8 + 4);
    assert_int_equal(demand.watches, 8);
    assert_true(demand.bytes > 10 * (64 + 8) * 40 && demand.bytes < 10 * (64 + 8) * 1000);
}

/* Five of each kind after each search, and up to nine if some of them tell nothing. */
TEST_BETWEEN(trials_for_a_knee_follow_the_search, give, NULL)
{
    given.knee_trials = 5;
    given.knee_trials_most = 9;
    struct plan_demand demand = expected();
    assert_int_equal(demand.trials, 7 + 5 + 5);
    assert_int_equal(demand.rpcs, (7 + 5) * (64 + 8) + 5 * (1 + 1));
    assert_int_equal(demand.time_ns, (2 + 5 * 4 + 5 + 5 * 4) * NS_PER_S);
    assert_int_equal(most().trials, 10 + 9 + 9);
    assert_int_equal(most().rpcs, (10 + 9) * (64 + 8) + 9 * (1 + 1));
    search.least = search.most = 1;
    assert_int_equal(expected().trials, 7 + 5);
    assert_int_equal(most().trials, 10 + 9);
}

TEST_BETWEEN(paths_are_longer_below_a_chroot, give, NULL)
{
    uint64_t bytes = most().bytes;
    given.chroot_length = 10;
    assert_true(most().bytes >= bytes + UINT64_C(10) * 10 * (64 + 8));
}

TEST_BETWEEN(several_locks, give, NULL)
{
    trial.plan.locks = 2;
    assert_int_equal(most().rpcs, 10 * 2 * (16 + 4));
    assert_int_equal(most().watches, 2 * 4);
}

/* As many requests as the servers answer, unless there is a limit. */
TEST_BETWEEN(a_trial_whose_time_decides, give, NULL)
{
    trial.plan.workload = WORKLOAD_STEADY;
    assert_true(most().rpcs == PLAN_DEMAND_UNKNOWN);
    assert_true(most().bytes == PLAN_DEMAND_UNKNOWN);
    assert_true(expected().rpcs == PLAN_DEMAND_UNKNOWN);
    given.max_rate = 100;
    assert_int_equal(most().rpcs, 10 * 400);
    assert_true(most().bytes < 10 * 400 * 1000);
    assert_int_equal(expected().rpcs, 2 * 100 + 5 * 400);
}

TEST_BETWEEN(a_rate_bounds_requests, give, NULL)
{
    given.max_rate = 72 / 4;
    assert_int_equal(most().rpcs, 10 * (64 + 8));
    assert_int_equal(expected().rpcs, 2 * 18 + 5 * (64 + 8));
    given.max_rate = 1;
    assert_int_equal(most().rpcs, 10 * 4);
}

TEST_BETWEEN(a_load_beside_the_lock, give, NULL)
{
    uint64_t bytes = most().bytes;
    trial.load_sessions = 10;
    trial.load_per_s = 1000;
    trial.load_bytes = 1100;
    assert_int_equal(most().sessions, 8 + 4 + 10);
    assert_int_equal(most().rpcs, 10 * (64 + 8 + 4000));
    assert_int_equal(most().bytes, bytes + UINT64_C(10) * 4000 * 1100);
    trial.longest_ns = 0;
    assert_true(most().rpcs == PLAN_DEMAND_UNKNOWN);
    assert_true(most().time_ns == PLAN_DEMAND_UNKNOWN);
}

/* The rate bounds all requests together; the load goes on for a while before the gate. */
TEST_BETWEEN(a_load_goes_on_before_the_gate, give, NULL)
{
    trial.load_per_s = 1000;
    trial.load_before_ns = NS_PER_S / 2;
    assert_int_equal(most().rpcs, 10 * (64 + 8 + 4500));
    given.max_rate = 1000;
    assert_int_equal(most().rpcs, 10 * 4500);
    given.max_rate = 10000;
    assert_int_equal(most().rpcs, 10 * (64 + 8 + 4500));
}

TEST_BETWEEN(the_time_of_all_is_bounded, give, NULL)
{
    given.max_time_ns = 15 * NS_PER_S;
    assert_int_equal(most().time_ns, 15 * NS_PER_S);
    assert_int_equal(expected().time_ns, 15 * NS_PER_S);
    assert_int_equal(most().rpcs, 10 * (64 + 8));
    given.max_rate = 10;
    assert_int_equal(most().rpcs, 150);
    given.max_time_ns = 3600 * NS_PER_S;
    assert_int_equal(most().time_ns, 40 * NS_PER_S);
}

TEST_BETWEEN(more_than_64_bits_is_not_known, give, NULL)
{
    search.trials_most = SIZE_MAX / 2;
    assert_true(most().time_ns == PLAN_DEMAND_UNKNOWN);
    assert_true(most().rpcs == PLAN_DEMAND_UNKNOWN);
}

static char *written(const struct recipe *const *recipes, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    struct plan_demand_row rows[3];
    const struct plan_proposal proposals[2] = {0};
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    size_t filled = plan_demand_rows(&given, recipes, proposals, count, rows);
    assert_int_equal(filled, count > 1 ? count + 1 : count);
    plan_demand_write(&given, rows, filled, 80, stream);
    fclose(stream);
    return text;
}

static size_t widest(const char *text)
{
    size_t most_columns = 0;
    for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
        size_t columns = strcspn(text, "\n");
        most_columns = columns > most_columns ? columns : most_columns;
    }
    return most_columns;
}

TEST_BETWEEN(the_table, give, NULL)
{
    const struct recipe *recipes[] = {nonscalable, registry_find("scalable-listwatch")};
    trial.plan.workload = WORKLOAD_STEADY;
    trial.plan.handoffs = 20000;
    search.most = 10000;
    search.trials_most = 200;
    char *text = written(recipes, 2);
    assert_true(widest(text) <= 80);
    assert_non_null(strstr(text, "\nscalable-listwatch    10,004"));
    assert_non_null(strstr(text, "\nall   "));
    free(text);
    given.max_time_ns = 60 * NS_PER_S;
    trial.plan.handoffs = 0;
    text = written(recipes, 1);
    assert_null(strstr(text, "\nall   "));
    assert_non_null(
        strstr(text, "\n  at most      10,004   10,000     200         -      -  1 min 00 s\n"));
    free(text);
}
