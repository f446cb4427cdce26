// SPDX-License-Identifier: Apache-2.0
/* Texts, sentences and numbers as JSON. */
#include "bench/cli/terminal.h"
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

/* Lines that were broken are joined, and an empty line is nothing. */
TEST(test_sentences_are_as_they_were_written)
{
    static const char *const said[] = {
        "A short one.",
        "One that is longer than a line of a terminal, \xc3\xa9 and all, and is therefore broken "
        "between its words more than once before the end of all of it is reached."};
    struct json_sentences sentences;
    FILE *stream = json_sentences_begin(&sentences);
    wrap_sentence(stream, "%s", said[0]);
    fputc('\n', stream);
    wrap_sentence(stream, "%s", said[1]);
    wrap_sentence(stream, "%s", said[0]);
    json_t *list = json_sentences_end(&sentences);
    assert_int_equal(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_array_get(list, i)), said[i % 2]);
    json_decref(list);
}

TEST(test_nothing_said_is_an_empty_list)
{
    struct json_sentences sentences;
    json_sentences_begin(&sentences);
    json_t *list = json_sentences_end(&sentences);
    assert_int_equal(json_array_size(list), 0);
    assert_true(json_is_array(list));
    json_decref(list);
}
