// SPDX-License-Identifier: Apache-2.0
/* How many pings the client library sends in a silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fleet/pings.h"

#define TIMEOUT_MS 30000
#define THIRD_NS   (10 * NS_PER_S)

/* The library waits for a third of the timeout; what is asked late may make that seem a tenth less.
 */
static void test_who_speaks_in_time_sends_none(void **state)
{
    (void)state;
    assert_int_equal(pings_most(0, TIMEOUT_MS), 0);
    assert_int_equal(pings_most(THIRD_NS * 8 / 10, TIMEOUT_MS), 0);
}

static void test_a_ping_for_each_third(void **state)
{
    (void)state;
    for (uint64_t thirds = 1; thirds < 100; thirds++) {
        assert_int_equal(pings_most(thirds * THIRD_NS, TIMEOUT_MS), thirds);
        assert_int_equal(pings_most(thirds * THIRD_NS + THIRD_NS / 2, TIMEOUT_MS), thirds);
    }
}

static void test_a_longer_timeout_takes_fewer(void **state)
{
    (void)state;
    assert_int_equal(pings_most(60 * NS_PER_S, 2 * TIMEOUT_MS), 3);
    assert_int_equal(pings_most(60 * NS_PER_S, 4000), 45);
    assert_true(pings_most(NS_PER_S, 0) >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_speaks_in_time_sends_none),
        cmocka_unit_test(test_a_ping_for_each_third),
        cmocka_unit_test(test_a_longer_timeout_takes_fewer),
    };
    return cmocka_run_group_tests_name("pings", tests, NULL, NULL);
}
