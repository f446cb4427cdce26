// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char written[1024];

static const char *wrapped(const char *text, size_t indent)
{
    memset(written, 0, sizeof written);
    FILE *stream = fmemopen(written, sizeof written, "w");
    assert_non_null(stream);
    wrap_write(text, indent, stream);
    fclose(stream);
    return written;
}

#define TEN     "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void test_a_line_has_80_columns_at_most(void **state)
{
    (void)state;
    assert_string_equal(wrapped(SEVENTY "1234567890", 0), SEVENTY "1234567890\n");
    assert_string_equal(wrapped(SEVENTY "12345678901", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "12345678901\n");
}

/* The first line's is there already. */
static void test_the_indent_takes_columns(void **state)
{
    (void)state;
    assert_string_equal(wrapped(SEVENTY "123456", 4), SEVENTY "123456\n");
    assert_string_equal(wrapped(SEVENTY "1234567", 4),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "    1234567\n");
}

static void test_a_character_takes_one_column(void **state)
{
    (void)state;
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä", 0), SEVENTY "ä²·ä²·ä²·ä\n");
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä-", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "ä²·ä²·ä²·ä-\n");
}

static void test_no_word_is_cut(void **state)
{
    char word[101] = "", text[128], expected[128];
    (void)state;
    memset(word, 'x', sizeof word - 1);
    snprintf(text, sizeof text, "a %s b", word);
    snprintf(expected, sizeof expected, "a\n%s\nb\n", word);
    assert_string_equal(wrapped(text, 0), expected);
}

static void test_words_have_one_blank_between_them(void **state)
{
    (void)state;
    assert_string_equal(wrapped("one  two   three ", 0), "one two three\n");
    assert_string_equal(wrapped("", 0), "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_has_80_columns_at_most),
        cmocka_unit_test(test_the_indent_takes_columns),
        cmocka_unit_test(test_a_character_takes_one_column),
        cmocka_unit_test(test_no_word_is_cut),
        cmocka_unit_test(test_words_have_one_blank_between_them),
    };
    return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
