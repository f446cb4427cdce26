// SPDX-License-Identifier: Apache-2.0
/* Numbers as bars of text: how long they are. */
#include "bench/cli/bar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[BAR_SIZE];

static void blocks_are_exact_to_an_eighth(void **state)
{
    (void)state;
    assert_string_equal(bar_put(8, 8, 2, true, text), "██");
    assert_string_equal(bar_put(4, 8, 2, true, text), "█");
    assert_string_equal(bar_put(5, 8, 2, true, text), "█▎");
    assert_string_equal(bar_put(3, 8, 1, true, text), "▍");
    assert_string_equal(bar_put(7, 8, 1, true, text), "▉");
    /* Halves of an eighth are rounded up. */
    assert_string_equal(bar_put(3, 16, 1, true, text), "▎");
    assert_string_equal(bar_put(31, 32, 2, true, text), "██");
}

static void signs_are_exact_to_a_column(void **state)
{
    (void)state;
    assert_string_equal(bar_put(10, 10, 5, false, text), "#####");
    assert_string_equal(bar_put(5, 10, 5, false, text), "###");
    assert_string_equal(bar_put(4.9, 10, 5, false, text), "##");
    assert_string_equal(bar_put(1, 10, 5, false, text), "#");
}

static void little_is_not_nothing(void **state)
{
    (void)state;
    assert_string_equal(bar_put(1, 1e9, 60, true, text), "▏");
    assert_string_equal(bar_put(1, 1e9, 60, false, text), ".");
    assert_string_equal(bar_put(0.99, 10, 5, false, text), ".");
}

static void what_is_no_number_above_0_has_no_bar(void **state)
{
    static const double none[] = {0, -1, NAN, INFINITY};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_string_equal(bar_put(none[i], 10, 5, true, text), "");
        assert_string_equal(bar_put(none[i], 10, 5, false, text), "");
        assert_string_equal(bar_put(5, none[i], 5, true, text), "");
    }
}

static void no_bar_is_longer_than_the_most(void **state)
{
    (void)state;
    assert_int_equal(strlen(bar_put(11, 10, BAR_COLUMNS_MAX, false, text)), BAR_COLUMNS_MAX);
    assert_int_equal(strlen(bar_put(11, 10, BAR_COLUMNS_MAX, true, text)), BAR_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_exact_to_an_eighth),
        cmocka_unit_test(signs_are_exact_to_a_column),
        cmocka_unit_test(little_is_not_nothing),
        cmocka_unit_test(what_is_no_number_above_0_has_no_bar),
        cmocka_unit_test(no_bar_is_longer_than_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
