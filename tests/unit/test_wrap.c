// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include "tests/support/test.h"

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

TEST(test_a_line_has_80_columns_at_most)
{
    assert_string_equal(wrapped(SEVENTY "1234567890", 0), SEVENTY "1234567890\n");
    assert_string_equal(wrapped(SEVENTY "12345678901", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "12345678901\n");
}

/* The first line's is there already. */
TEST(test_the_indent_takes_columns)
{
    assert_string_equal(wrapped(SEVENTY "123456", 4), SEVENTY "123456\n");
    assert_string_equal(wrapped(SEVENTY "1234567", 4),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "    1234567\n");
}

TEST(test_a_character_takes_one_column)
{
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä", 0), SEVENTY "ä²·ä²·ä²·ä\n");
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä-", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "ä²·ä²·ä²·ä-\n");
}

TEST(test_no_word_is_cut)
{
    char word[101] = "", text[128], expected[128];
    memset(word, 'x', sizeof word - 1);
    snprintf(text, sizeof text, "a %s b", word);
    snprintf(expected, sizeof expected, "a\n%s\nb\n", word);
    assert_string_equal(wrapped(text, 0), expected);
}

TEST(test_words_have_one_blank_between_them)
{
    assert_string_equal(wrapped("one  two   three ", 0), "one two three\n");
    assert_string_equal(wrapped("", 0), "\n");
}
