// SPDX-License-Identifier: Apache-2.0
/* Texts and numbers as JSON. */
#include "bench/output/json_result.h"

#include "tests/support/test.h"

static void expect(const char *bytes, const char *text)
{
    json_t *json = json_text(bytes);
    assert_non_null(json);
    assert_string_equal(json_string_value(json), text);
    json_decref(json);
}

TEST(test_text_stays_as_it_is)
{
    expect("", "");
    expect("results/two words\t\"", "results/two words\t\"");
    expect("größe, 鎖, 🔒", "größe, 鎖, 🔒");
}

TEST(test_bytes_that_are_no_text_are_written_out)
{
    expect("\xff", "\\xff");
    expect("a\x80z", "a\\x80z");
    expect("\xfc\xe8s", "\\xfc\\xe8s"); /* Latin-1 */
}

/* What is text beside them stays text. */
TEST(test_a_character_that_is_cut_off_is_written_out)
{
    expect("ö\xe9\x8e", "ö\\xe9\\x8e");
    expect("\xf0\x9f\x94🔒\xc3", "\\xf0\\x9f\\x94🔒\\xc3");
}

/* A slash in two bytes, half of a pair of UTF-16, and what lies above Unicode. */
TEST(test_forms_that_unicode_forbids_are_written_out)
{
    expect("\xc0\xaf", "\\xc0\\xaf");
    expect("\xed\xa0\x80", "\\xed\\xa0\\x80");
    expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

TEST(test_bytes_go_on_behind_a_nul)
{
    json_t *text = json_text_bytes("a\0b", 3), *escaped = json_text_bytes("a\0\xff", 3);
    assert_int_equal(json_string_length(text), 3);
    assert_memory_equal(json_string_value(text), "a\0b", 4);
    assert_int_equal(json_string_length(escaped), 6);
    assert_memory_equal(json_string_value(escaped), "a\0\\xff", 7);
    json_decref(text);
    json_decref(escaped);
}
