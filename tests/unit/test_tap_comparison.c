// SPDX-License-Identifier: Apache-2.0
/* What a tap has counted, compared with the servers' counters. */
#include "tests/support/test.h"

#include "bench/tap/internal.h"

/* Five notifications passed, of which `both` fired two watches each, and no request; the servers
 * counted so many notifications. */
static enum reconciled compare(uint64_t both, uint64_t notifications)
{
    struct traffic traffic;
    struct watches watches = {.both = both};
    struct target target = {0};
    struct tap_result result = {.traffic = &traffic, .watches = &watches, .target = &target};
    traffic_init(&traffic);
    traffic.notifications[TRAFFIC_DELETED] = 2;
    traffic.notifications[TRAFFIC_CHILDREN] = 3;
    result.comparison.servers.known = true;
    result.comparison.servers.notifications = notifications;
    tap_compare(&result);
    traffic_deinit(&traffic);
    return result.comparison.reconciled;
}

TEST(equal_counts_agree)
{
    assert_int_equal(compare(0, 5), RECONCILED_YES);
    assert_int_equal(compare(0, 6), RECONCILED_NO);
    assert_int_equal(compare(0, 4), RECONCILED_NO);
}

TEST(a_deletion_that_fires_two_watches_is_counted_twice)
{
    assert_int_equal(compare(2, 7), RECONCILED_YES);
    assert_int_equal(compare(2, 6), RECONCILED_NO);
    assert_int_equal(compare(2, 5), RECONCILED_NO);
}
