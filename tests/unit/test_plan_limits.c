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

static struct plan_limit limit_of(enum plan_limit_kind kind, const char *recipe)
{
    struct plan_limit limit = {0};
    assert_true(
        plan_limits_compute(kind, recipe == NULL ? NULL : registry_find(recipe), &given, &limit));
    return limit;
}

static void assert_limit(struct plan_limit limit, const char *formula, uint64_t most, uint64_t need,
                         uint64_t most_clients)
{
    assert_string_equal(limit.formula, formula);
    assert_true(limit.most == most);
    assert_int_equal(limit.is_needed, need > 0);
    assert_int_equal(limit.need, need);
    assert_true(limit.most_clients == most_clients);
}

TEST_BETWEEN(messages, give, NULL)
{
    assert_limit(limit_of(PLAN_NAMES, "scalable"), "(B-20)/(4+15)", (B - 20) / 19, 100,
                 (B - 20) / 19);
    assert_limit(limit_of(PLAN_NAMES, "ready"), "(B-28)/(4+15)", (B - 28) / 19, 100, (B - 28) / 19);
    assert_limit(limit_of(PLAN_WATCHES_AGAIN, "scalable"), "(B-28)/(4+27)", (B - 28) / 31, 1,
                 PLAN_NO_LIMIT);
    assert_limit(limit_of(PLAN_WATCHES_AGAIN, "childwatch"), "(B-28)/(4+11)", (B - 28) / 15, 1,
                 PLAN_NO_LIMIT);
    assert_limit(limit_of(PLAN_WATCHES_AGAIN, "walkback"), "(B-28)/(4+27)", (B - 28) / 31, 99,
                 (B - 28) / 31 + 1);
    assert_limit(limit_of(PLAN_PATH, NULL), "B-47", B - 47, 0, PLAN_NO_LIMIT);
    assert_limit(limit_of(PLAN_VALUE_CREATED, NULL), "B-47-P", B - 58, 0, PLAN_NO_LIMIT);
    assert_limit(limit_of(PLAN_VALUE_SET, NULL), "B-20-P", B - 31, 0, PLAN_NO_LIMIT);
    assert_limit(limit_of(PLAN_VALUE_READ, NULL), "B-88", B - 88, 0, PLAN_NO_LIMIT);
}

TEST_BETWEEN(sessions, give, NULL)
{
    assert_limit(limit_of(PLAN_CONNECTIONS, NULL), "S*C", 180, 100, 180);
    assert_limit(limit_of(PLAN_SERVER_DESCRIPTORS, NULL), "S*F", 3000, 100, 3000);
    assert_limit(limit_of(PLAN_DESCRIPTORS, NULL), "D", 5000, 100, 5000);
    assert_limit(limit_of(PLAN_PORTS, NULL), "S*L", 84696, 100, 84696);
}

/* Of each client one, of scalable-listwatch two, of walkback n(n-1)/2; paths of 27 bytes, of
 * childwatch 11. */
TEST_BETWEEN(watches, give, NULL)
{
    uint64_t most = 3 * (UINT64_C(536870912) / 477);
    assert_limit(limit_of(PLAN_WATCHES, "scalable"), "S*H/(450+27)", most, 100, most);
    assert_limit(limit_of(PLAN_WATCHES, "scalable-listwatch"), "S*H/(450+27)", most, 200, most / 2);
    assert_limit(limit_of(PLAN_WATCHES, "walkback"), "S*H/(450+27)", most, 4950, 2599);
    assert_true(2599 * 2598 / 2 <= most && 2600 * 2599 / 2 > most);
    most = 3 * (UINT64_C(536870912) / 461);
    assert_limit(limit_of(PLAN_WATCHES, "childwatch"), "S*H/(450+11)", most, 100, most);
}

TEST_BETWEEN(recipes_without_lists_or_watches_have_no_such_limit, give, NULL)
{
    struct plan_limit limit;
    assert_false(plan_limits_compute(PLAN_NAMES, registry_find("nonscalable"), &given, &limit));
    assert_false(plan_limits_compute(PLAN_WATCHES_AGAIN, registry_find("poll"), &given, &limit));
    assert_false(plan_limits_compute(PLAN_WATCHES, registry_find("poll"), &given, &limit));
}

TEST_BETWEEN(no_limit_and_a_limit_that_is_not_told_are_no_numbers, give, NULL)
{
    given.clients = 1000000;
    given.lowest = (struct server_limits){0, FOUR_LETTER_UNTOLD, FOUR_LETTER_UNTOLD};
    given.descriptors = UINT64_MAX;
    assert_true(limit_of(PLAN_CONNECTIONS, NULL).most == PLAN_NO_LIMIT);
    assert_true(limit_of(PLAN_DESCRIPTORS, NULL).most == PLAN_NO_LIMIT);
    assert_true(limit_of(PLAN_SERVER_DESCRIPTORS, NULL).most == PLAN_UNTOLD);
    assert_true(limit_of(PLAN_WATCHES, "scalable").most == PLAN_UNTOLD);
    given.lowest.connections = FOUR_LETTER_UNTOLD;
    struct plan_limit limit = limit_of(PLAN_CONNECTIONS, NULL);
    assert_true(limit.most == PLAN_UNTOLD);
    assert_false(plan_limits_passed(&limit));
}

TEST_BETWEEN(a_limit_is_passed_by_more_than_it_allows, give, NULL)
{
    given.clients = 180;
    struct plan_limit limit = limit_of(PLAN_CONNECTIONS, NULL);
    assert_false(plan_limits_passed(&limit));
    given.clients = 181;
    limit = limit_of(PLAN_CONNECTIONS, NULL);
    assert_true(plan_limits_passed(&limit));
    given.clients = 0;
    limit = limit_of(PLAN_WATCHES, "walkback");
    assert_false(limit.is_needed);
    assert_false(plan_limits_passed(&limit));
}

TEST_BETWEEN(the_lowest_number_of_clients_is_met_first, give, NULL)
{
    struct plan_limit first;
    assert_true(plan_limits_first(registry_find("scalable-guid"), &given, &first));
    assert_int_equal(first.kind, PLAN_CONNECTIONS);
    given.lowest.connections = 0;
    assert_true(plan_limits_first(registry_find("scalable-guid"), &given, &first));
    assert_int_equal(first.kind, PLAN_SERVER_DESCRIPTORS);
    given.lowest.descriptors = given.descriptors = FOUR_LETTER_UNTOLD;
    assert_true(plan_limits_first(registry_find("scalable-guid"), &given, &first));
    assert_int_equal(first.kind, PLAN_NAMES);
    assert_int_equal(first.most_clients, 17772);
    assert_true(plan_limits_first(registry_find("walkback"), &given, &first));
    assert_int_equal(first.kind, PLAN_WATCHES);
    assert_int_equal(first.most_clients, 2599);
    assert_true(plan_limits_first(registry_find("nonscalable"), &given, &first));
    assert_int_equal(first.kind, PLAN_PORTS);
}
