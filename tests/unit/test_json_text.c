// SPDX-License-Identifier: Apache-2.0
/* Texts as JSON: what is no UTF-8 is written out, and what is text beside it stays text. */
#include "bench/output/json_result.h"

#include "tests/support/test.h"

TEST(test_bytes_that_are_no_text_are_written_out)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", ""},
        {"results/two words\t\"", "results/two words\t\""},
        {"größe, 鎖, 🔒", "größe, 鎖, 🔒"},
        {"a\x80z", "a\\x80z"},
        {"\xfc\xe8s", "\\xfc\\xe8s"},                   /* Latin-1 */
        {"ö\xe9\x8e", "ö\\xe9\\x8e"},                   /* cut off */
        {"\xf0\x9f\x94🔒\xc3", "\\xf0\\x9f\\x94🔒\\xc3"}, /* the same */
        {"\xc0\xaf", "\\xc0\\xaf"},                     /* a slash in two bytes */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},            /* half of a pair of UTF-16 */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},   /* above Unicode */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *json = json_text(cases[i].bytes);
        assert_string_equal(json_string_value(json), cases[i].text);
        json_decref(json);
    }
}

TEST(test_bytes_go_on_behind_a_nul)
{
    json_t *escaped = json_text_bytes("a\0\xff", 3);
    assert_int_equal(json_string_length(escaped), 6);
    assert_memory_equal(json_string_value(escaped), "a\0\\xff", 7);
    json_decref(escaped);
}
