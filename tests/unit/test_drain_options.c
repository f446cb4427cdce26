// SPDX-License-Identifier: Apache-2.0
/* What follows from the options of a series of drains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "bench/model/drain_options.h"

static void every_server_is_warmed_up(void **state)
{
    (void)state;
    const struct drain_options options = {.warm_up_ns = 30 * NS_PER_S};
    assert_int_equal(drain_options_warm_up_ns(&options, 1), 30 * NS_PER_S);
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 90 * NS_PER_S);
}

static void a_warm_up_that_was_given_is_all_of_it(void **state)
{
    (void)state;
    const struct drain_options options = {.warm_up_ns = 5 * NS_PER_S, .warm_up_given = true};
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 5 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_server_is_warmed_up),
        cmocka_unit_test(a_warm_up_that_was_given_is_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
