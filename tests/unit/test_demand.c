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
FIXTURE(set_up)
{
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

/* Below ten megabytes there are two decimals; the discarded trial's bytes are among them. */
TEST_BETWEEN(one_trial_is_no_plural, set_up, NULL)
{
    struct trial_plan drain;
    uint64_t discarded = cells_warm_up(&options, 0, 0, &drain).bytes;
    cells = (struct cells){.trials = 1, .rpcs = 1000, .bytes = 1235100 - discarded};
    assert_told("warm-ups 1, trials 1, requests 1,020, MB 1.24");
}

/* They are sessions and requests on top of those of the lock. */
TEST_BETWEEN(the_load_beside_the_lock_is_told, set_up, NULL)
{
    options.plan.pace = PACE_FREE;
    options.plan.background.given = true;
    options.plan.background.rate_per_s = 12500;
    assert_told(
        "warm-ups 1, trials 2, requests about 1,520, MB 50.01; of --background: sessions 10, "
        "requests a second 12,500");
}
