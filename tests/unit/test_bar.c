// SPDX-License-Identifier: Apache-2.0
/* Numbers as bars of text: how long they are. */
#include "bench/cli/terminal.h"

#include "tests/support/test.h"

#include <math.h>

static char text[BAR_SIZE];

TEST(blocks_are_exact_to_an_eighth)
{
    assert_string_equal(bar_put(8, 8, 2, true, text), "██");
    assert_string_equal(bar_put(4, 8, 2, true, text), "█");
    assert_string_equal(bar_put(5, 8, 2, true, text), "█▎");
    assert_string_equal(bar_put(3, 8, 1, true, text), "▍");
    assert_string_equal(bar_put(7, 8, 1, true, text), "▉");
    /* Halves of an eighth are rounded up. */
    assert_string_equal(bar_put(3, 16, 1, true, text), "▎");
    assert_string_equal(bar_put(31, 32, 2, true, text), "██");
}

TEST(signs_are_exact_to_a_column)
{
    assert_string_equal(bar_put(10, 10, 5, false, text), "#####");
    assert_string_equal(bar_put(5, 10, 5, false, text), "###");
    assert_string_equal(bar_put(4.9, 10, 5, false, text), "##");
    assert_string_equal(bar_put(1, 10, 5, false, text), "#");
}

TEST(little_is_not_nothing)
{
    assert_string_equal(bar_put(1, 1e9, 60, true, text), "▏");
    assert_string_equal(bar_put(1, 1e9, 60, false, text), ".");
    assert_string_equal(bar_put(0.99, 10, 5, false, text), ".");
}

TEST(what_is_no_number_above_0_has_no_bar)
{
    static const double none[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_string_equal(bar_put(none[i], 10, 5, true, text), "");
        assert_string_equal(bar_put(none[i], 10, 5, false, text), "");
        assert_string_equal(bar_put(5, none[i], 5, true, text), "");
    }
}

TEST(no_bar_is_longer_than_the_most)
{
    assert_int_equal(strlen(bar_put(11, 10, BAR_COLUMNS_MAX, false, text)), BAR_COLUMNS_MAX);
    assert_int_equal(strlen(bar_put(11, 10, BAR_COLUMNS_MAX, true, text)), BAR_SIZE - 1);
}
