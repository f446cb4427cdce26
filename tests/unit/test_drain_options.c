// SPDX-License-Identifier: Apache-2.0
/* What follows from the options of a series of drains. */

#include "base/clock.h"
#include "bench/model/drain_options.h"

#include "tests/support/test.h"

TEST(every_server_is_warmed_up)
{
    const struct drain_options options = {.warm_up_ns = 30 * NS_PER_S};
    assert_int_equal(drain_options_warm_up_ns(&options, 1), 30 * NS_PER_S);
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 90 * NS_PER_S);
}

TEST(a_warm_up_that_was_given_is_all_of_it)
{
    const struct drain_options options = {.warm_up_ns = 5 * NS_PER_S, .warm_up_given = true};
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 5 * NS_PER_S);
}
