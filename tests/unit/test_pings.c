// SPDX-License-Identifier: Apache-2.0
/* How many pings the client library sends in a silence. */

#include "base/clock.h"
#include "fleet/shared.h"

#include "tests/support/test.h"

#define TIMEOUT_MS 30000
#define THIRD_NS   (10 * NS_PER_S)

/* The library waits for a third of the timeout; what is asked late may make that seem a tenth less.
 */
TEST(test_who_speaks_in_time_sends_none)
{
    assert_int_equal(pings_most(0, TIMEOUT_MS), 0);
    assert_int_equal(pings_most(THIRD_NS * 8 / 10, TIMEOUT_MS), 0);
    assert_int_equal(pings_most(THIRD_NS * 95 / 100, TIMEOUT_MS), 1);
}

TEST(test_a_ping_for_each_third)
{
    for (uint64_t thirds = 1; thirds < 100; thirds++) {
        assert_int_equal(pings_most(thirds * THIRD_NS, TIMEOUT_MS), thirds);
        assert_int_equal(pings_most(thirds * THIRD_NS + THIRD_NS / 2, TIMEOUT_MS), thirds);
    }
}

TEST(test_a_longer_timeout_takes_fewer)
{
    assert_int_equal(pings_most(60 * NS_PER_S, 2 * TIMEOUT_MS), 3);
    assert_int_equal(pings_most(60 * NS_PER_S, 4000), 45);
    assert_true(pings_most(NS_PER_S, 0) >= 1000);
}
