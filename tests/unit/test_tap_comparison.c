// SPDX-License-Identifier: Apache-2.0
/* What a tap has counted, compared with the servers' counters. */
#include "tests/support/test.h"

#include "bench/tap/internal.h"

/* Five notifications passed, two of them of deletions, and no request; the servers counted so many
 * notifications. */
static enum reconciled compare(uint64_t notifications)
{
    struct traffic traffic;
    struct target target = {0};
    struct tap_result result = {.traffic = &traffic, .target = &target};
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
    assert_int_equal(compare(5), RECONCILED_YES);
}

TEST(each_deletion_may_be_counted_twice)
{
    assert_int_equal(compare(6), RECONCILED_NA);
    assert_int_equal(compare(7), RECONCILED_NA);
}

TEST(notifications_that_no_deletion_explains_differ)
{
    assert_int_equal(compare(8), RECONCILED_NO);
    assert_int_equal(compare(4), RECONCILED_NO);
}
