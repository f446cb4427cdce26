// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/complain.h"
#include "tests/support/said.h"
#include "tests/support/test.h"

#define HOSTILE  "\x1b]0;owned\x07\u202e\r\n\xff"
#define HARMLESS "\\x1b]0;owned\\x07\\u202e\\x0d\\x0a\\xff"

TEST(an_error_is_printable_and_in_lines_of_80_columns)
{
    struct error error;
    error_raise(&error, ERROR_NO_LOCK, 0, "/a" HOSTILE, "its child '%s'", HOSTILE);
    said_begin();
    assert_int_equal(complain(&error), 2);
    assert_string_equal(said_end(),
                        "zkherd: /a" HARMLESS ": not a lock: its child\n    '" HARMLESS
                        "'; name the folder of a queue, or the\n    znode that is the lock\n");
}

TEST(a_line_that_is_too_long_is_cut_with_a_sign)
{
    char long_one[10000];
    memset(long_one, 'a', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    said_begin();
    complain_mildly("%s", long_one);
    const char *line = said_end();
    assert_true(strlen(line) < sizeof long_one);
    assert_string_equal(line + strlen(line) - 5, "a...\n");
}
