// SPDX-License-Identifier: Apache-2.0
/* The limits of zkherd plan, against products and quotients that are written out here. */

#include "bench/plan/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#define B 1048575

static struct plan_given given;

static int give(void **state)
{
    (void)state;
    given = (struct plan_given){.jute_maxbuffer_bytes = B,
                                .lock_length = 11,
                                .servers = 3,
                                .lowest = {60, 1000, 512 << 20},
                                .descriptors = 5000,
                                .local_ports = 28232,
                                .clients = 100};
    return 0;
}

static struct plan_limits compute(const char *recipe)
{
    const struct recipe *const recipes[] = {registry_find(recipe)};
    struct plan_limits limits;
    plan_limits_compute(recipes, 1, &given, &limits);
    return limits;
}

/* The limit of this name, set by this; all zero bytes if the recipe has none. */
static struct plan_limit limit_of(const char *name, const char *setting, const char *recipe)
{
    const struct plan_limits limits = compute(recipe);
    for (size_t i = 0; i < limits.count; i++) {
        const struct plan_limit *limit = &limits.list[i];
        if (strcmp(limit->name, name) == 0 && strcmp(limit->setting, setting) == 0)
            return *limit;
    }
    return (struct plan_limit){0};
}

static void assert_limit(const char *name, const char *setting, const char *recipe,
                         const char *formula, uint64_t most, uint64_t need, uint64_t most_clients)
{
    const struct plan_limit limit = limit_of(name, setting, recipe);
    assert_string_equal(limit.formula, formula);
    assert_true(limit.most == most);
    assert_true(limit.need == need);
    assert_true(limit.most_clients == most_clients);
}

TEST_BETWEEN(messages, give, NULL)
{
    static const char names[] = "names in a list", again[] = "watches again",
                      by[] = "jute.maxbuffer";
    assert_limit(names, by, "scalable", "(B-20)/(4+15)", (B - 20) / 19, 100, (B - 20) / 19);
    assert_limit(names, by, "ready", "(B-28)/(4+15)", (B - 28) / 19, 100, (B - 28) / 19);
    assert_limit(again, by, "scalable", "(B-28)/(4+27)", (B - 28) / 31, 1, PLAN_NONE);
    assert_limit(again, by, "childwatch", "(B-28)/(4+11)", (B - 28) / 15, 1, PLAN_NONE);
    assert_limit(again, by, "walkback", "(B-28)/(4+27)", (B - 28) / 31, 99, (B - 28) / 31 + 1);
    assert_limit("path, bytes", by, "poll", "B-47", B - 47, PLAN_NONE, PLAN_NONE);
    assert_limit("value created", by, "poll", "B-47-P", B - 58, PLAN_NONE, PLAN_NONE);
    assert_limit("value set", by, "poll", "B-20-P", B - 31, PLAN_NONE, PLAN_NONE);
    assert_limit("value read", by, "poll", "B-88", B - 88, PLAN_NONE, PLAN_NONE);
}

TEST_BETWEEN(sessions, give, NULL)
{
    assert_limit("connections", "maxClientCnxns", "poll", "S*C", 180, 100, 180);
    assert_limit("descriptors", "server ulimit", "poll", "S*F", 3000, 100, 3000);
    assert_limit("descriptors", "client ulimit", "poll", "D", 5000, 100, 5000);
    assert_limit("local ports", "port range", "poll", "S*L", 84696, 100, 84696);
}

/* Of each client one, of scalable-listwatch two, of walkback n(n-1)/2; paths of 27 bytes, of
 * childwatch 11. */
TEST_BETWEEN(watches, give, NULL)
{
    static const char name[] = "watches", by[] = "heap", formula[] = "S*H/(450+27)";
    uint64_t most = 3 * (UINT64_C(536870912) / 477);
    assert_limit(name, by, "scalable", formula, most, 100, most);
    assert_limit(name, by, "scalable-listwatch", formula, most, 200, most / 2);
    assert_limit(name, by, "walkback", formula, most, 4950, 2599);
    assert_true(2599 * 2598 / 2 <= most && 2600 * 2599 / 2 > most);
    most = 3 * (UINT64_C(536870912) / 461);
    assert_limit(name, by, "childwatch", "S*H/(450+11)", most, 100, most);
}

TEST_BETWEEN(recipes_without_lists_or_watches_have_no_such_limit, give, NULL)
{
    assert_null(limit_of("names in a list", "jute.maxbuffer", "nonscalable").name);
    assert_null(limit_of("watches again", "jute.maxbuffer", "poll").name);
    assert_null(limit_of("watches", "heap", "poll").name);
}

TEST_BETWEEN(no_limit_and_a_limit_that_is_not_told_are_no_numbers, give, NULL)
{
    given.clients = 1000000;
    given.lowest = (struct server_limits){0, FOUR_LETTER_UNTOLD, FOUR_LETTER_UNTOLD};
    given.descriptors = UINT64_MAX;
    assert_true(limit_of("connections", "maxClientCnxns", "poll").most == PLAN_NONE);
    assert_true(limit_of("descriptors", "client ulimit", "poll").most == PLAN_NONE);
    assert_true(limit_of("descriptors", "server ulimit", "poll").most == PLAN_UNTOLD);
    assert_true(limit_of("watches", "heap", "scalable").most == PLAN_UNTOLD);
    given.lowest.connections = FOUR_LETTER_UNTOLD;
    struct plan_limit limit = limit_of("connections", "maxClientCnxns", "poll");
    assert_true(limit.most == PLAN_UNTOLD);
    assert_false(plan_limits_passed(&limit));
}

TEST_BETWEEN(a_limit_is_passed_by_more_than_it_allows, give, NULL)
{
    for (given.clients = 180; given.clients <= 181; given.clients++) {
        struct plan_limit limit = limit_of("connections", "maxClientCnxns", "poll");
        assert_int_equal(plan_limits_passed(&limit), given.clients == 181);
    }
    given.clients = 0;
    struct plan_limit limit = limit_of("watches", "heap", "walkback");
    assert_true(limit.need == PLAN_NONE);
    assert_false(plan_limits_passed(&limit));
}

static void assert_first(const char *recipe, const char *setting, uint64_t most_clients)
{
    const struct plan_limits limits = compute(recipe);
    const struct plan_limit *first = plan_limits_first(&limits, registry_find(recipe));
    assert_string_equal(first->setting, setting);
    assert_int_equal(first->most_clients, most_clients);
}

TEST_BETWEEN(the_lowest_number_of_clients_is_met_first, give, NULL)
{
    assert_first("scalable-guid", "maxClientCnxns", 180);
    given.lowest.connections = 0;
    assert_first("scalable-guid", "server ulimit", 3000);
    given.lowest.descriptors = given.descriptors = FOUR_LETTER_UNTOLD;
    assert_first("scalable-guid", "jute.maxbuffer", 17772);
    assert_first("walkback", "heap", 2599);
    assert_first("nonscalable", "port range", 84696);
}
