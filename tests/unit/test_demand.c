// SPDX-License-Identifier: Apache-2.0
/* What a run tells before it begins of what it puts on somebody's servers. */

#include "base/clock.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"
#include "tests/support/said.h"
#include "tests/support/test.h"

#define BEGINNING "zkherd: on 127.0.0.1:2181: at most 4 sessions at a time, "

static struct options options;
static uint64_t clients[] = {2, 4};
static struct cells cells;

/* Two trials of the non-scalable lock, of which the drain of four clients that is discarded makes
 * 4² + 4 = 20 requests. */
static int set_up(void **state)
{
    (void)state;
    options = (struct options){.plan = {.recipes = {registry_find("nonscalable")},
                                        .most_clients = {UINT64_MAX},
                                        .recipe_count = 1,
                                        .clients = {.list = clients, .count = 2},
                                        .locks = 1}};
    cells = (struct cells){.trials = 2, .rpcs = 1500, .bytes = 50000000};
    return 0;
}

static void assert_told(const char *words)
{
    const struct connect_string servers = {.endpoints = {{.host = "127.0.0.1", .port = 2181}},
                                           .count = 1};
    char line[300];
    snprintf(line, sizeof line, "%s%s\n", BEGINNING, words);
    said_begin();
    demand_print(&options, &cells, &servers);
    assert_string_equal(said_sentences(), line);
}

TEST_BETWEEN(the_discarded_trials_count, set_up, NULL)
{
    assert_told("1,520 requests and up to 50 MB in 2 trials and 1 warm-up");
    options.plan.recipes[1] = options.plan.recipes[0];
    options.plan.most_clients[1] = UINT64_MAX;
    options.plan.recipe_count = 2;
    assert_told("1,540 requests and up to 50 MB in 2 trials and 2 warm-ups");
}

/* Below ten megabytes there are two decimals; the discarded trial's bytes are among them. */
TEST_BETWEEN(one_trial_is_no_plural, set_up, NULL)
{
    struct trial_plan drain;
    uint64_t discarded = cells_warm_up(&options, 0, 0, &drain).bytes;
    cells = (struct cells){.trials = 1, .rpcs = 1000, .bytes = 1235100 - discarded};
    assert_told("1,020 requests and up to 1.24 MB in 1 trial and 1 warm-up");
}

/* In free pace no law tells the requests. */
TEST_BETWEEN(free_pace_is_a_guess, set_up, NULL)
{
    options.plan.pace = PACE_FREE;
    assert_told("about 1,520 requests and 50 MB in 2 trials and 1 warm-up");
}

TEST_BETWEEN(a_duration_has_as_many_as_are_answered, set_up, NULL)
{
    options.plan.pace = PACE_FREE;
    options.plan.duration_ns = 10 * NS_PER_S;
    assert_told("2 trials of 10.0 s after 1 drain; requests: as many as the servers answer");
    options.plan.max_rate = 2000;
    assert_told(
        "2 trials of 10.0 s after 1 drain; requests: as many as the servers answer, at most "
        "2,000 per second");
}

TEST_BETWEEN(a_limit_of_the_rate_tells_the_least_time, set_up, NULL)
{
    options.plan.max_rate = 152;
    assert_told("1,520 requests and up to 50 MB in 2 trials and 1 warm-up, at most 152 per second: "
                "at least 10.0 s");
}

/* They are sessions and requests on top of those of the lock. */
TEST_BETWEEN(the_load_beside_the_lock_is_told, set_up, NULL)
{
    options.plan.pace = PACE_FREE;
    options.plan.background.given = true;
    options.plan.background.rate_per_s = 12500;
    assert_told("about 1,520 requests and 50 MB in 2 trials and 1 warm-up; beside them the load of "
                "--background: 10 sessions, 12,500 a second");
}
