// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include "tests/support/test.h"

static void assert_printed(const char *foreign, const char *expected)
{
    char text[256];
    assert_ptr_equal(printable_text(foreign, text, sizeof text), text);
    assert_string_equal(text, expected);
}

TEST(what_can_be_seen_stays)
{
    assert_printed("", "");
    assert_printed(" ~/lock-0000000001 \"a\" \\", " ~/lock-0000000001 \"a\" \\");
    assert_printed("Zürich Ω 鎖 🔒 \u00a0", "Zürich Ω 鎖 🔒 \u00a0");
    /* The first and the last of each length, but for those that are not shown. */
    assert_printed("\u00a1\u07ff\u0800\ufffd\U00010000\U0010ffff",
                   "\u00a1\u07ff\u0800\ufffd\U00010000\U0010ffff");
}

TEST(controls_are_escaped)
{
    assert_printed("a\x1b[31mb\x07", "a\\x1b[31mb\\x07");
    assert_printed("\r\n\t\x01\x1f\x7f", "\\x0d\\x0a\\x09\\x01\\x1f\\x7f");
    /* C1: a terminal takes U+009B for ESC [. */
    assert_printed("\xc2\x80\xc2\x9b\xc2\x9f", "\\u0080\\u009b\\u009f");
}

TEST(marks_of_direction_and_characters_without_width_are_escaped)
{
    assert_printed("\u200e\u200f\u061c", "\\u200e\\u200f\\u061c");
    assert_printed("\u202a\u202b\u202c\u202d\u202e", "\\u202a\\u202b\\u202c\\u202d\\u202e");
    assert_printed("\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069");
    assert_printed("\u200b\u200c\u200d\u2060\ufeff\u00ad",
                   "\\u200b\\u200c\\u200d\\u2060\\ufeff\\u00ad");
    assert_printed("\u2028\u2029", "\\u2028\\u2029");
    assert_printed("\U000e0041\U000e0fff", "\\U000e0041\\U000e0fff");
    assert_printed("\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff");
}

TEST(bytes_that_are_no_text_are_escaped)
{
    assert_printed("\xff\xfe", "\\xff\\xfe");
    assert_printed("\x80"
                   "a\xbf",
                   "\\x80"
                   "a\\xbf");        /* goes on with nothing */
    assert_printed("\xc3", "\\xc3"); /* ends in the middle */
    assert_printed("\xe9\x8e"
                   "a",
                   "\\xe9\\x8e"
                   "a");
    assert_printed("\xf0\x9f\x94", "\\xf0\\x9f\\x94");
    assert_printed("\xc0\xaf\xc1\xbf", "\\xc0\\xaf\\xc1\\xbf"); /* longer than need be */
    assert_printed("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
    assert_printed("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
    assert_printed("\xed\xa0\x80\xed\xbf\xbf", "\\xed\\xa0\\x80\\xed\\xbf\\xbf"); /* surrogates */
    assert_printed("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last */
}

/* Whatever the room is: no half character, no half escape, and a sign that there is more. */
TEST(what_does_not_fit_is_cut_between_characters)
{
    static const char foreign[] = "a\xc3\xbc\x1b\xe9\x8e\x96\xff\xf0\x9f\x94\x92\u202e!";
    static const char *const pieces[] = {"a", "ü", "\\x1b", "鎖", "\\xff", "🔒", "\\u202e", "!"};
    char whole[64] = "", text[64];
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        strcat(whole, pieces[i]);
    for (size_t size = 4; size <= strlen(whole) + 3; size++) {
        memset(text, '#', sizeof text);
        printable_text(foreign, text, size);
        assert_int_equal(text[size], '#');
        char expected[64] = "", longer[64] = "";
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            strcat(longer, pieces[i]);
            if (strlen(longer) + strlen("...") < size)
                strcpy(expected, longer);
        }
        if (strlen(whole) < size)
            strcpy(expected, whole);
        else
            strcat(expected, "...");
        assert_string_equal(text, expected);
    }
}

static size_t columns(const char *text)
{
    return printable_columns(text, strlen(text));
}

TEST(columns_are_those_of_a_terminal)
{
    assert_int_equal(columns(""), 0);
    assert_int_equal(columns("abc"), 3);
    assert_int_equal(columns("O(n²)"), 5);
    assert_int_equal(columns("鎖🔒"), 4);
    assert_int_equal(columns("\u10ff\u1100"), 3);
}

TEST(a_cut_counts_columns)
{
    char fits[] = "abcdef", cut[] = "abcdefg", wide[] = "鎖鎖鎖", narrow[] = "üüüüü";
    assert_string_equal(printable_cut(fits, 6), "abcdef");
    assert_string_equal(printable_cut(cut, 6), "abc...");
    assert_string_equal(printable_cut(wide, 5), "鎖...");
    assert_string_equal(printable_cut(narrow, 4), "ü...");
    assert_string_equal(printable_cut(narrow, 3), "...");
}
