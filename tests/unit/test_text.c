// SPDX-License-Identifier: Apache-2.0
/* Numbers, durations and lists in texts, and foreign texts made printable, also as JSON. */
#include "base/text.h"
#include "bench/output/json_result.h"

#include "tests/support/test.h"

#define UNTOUCHED UINT64_C(424242)

static void assert_number(const char *text, uint64_t expected)
{
    uint64_t number = UNTOUCHED;
    if (!text_parse_number(text, 0, UINT64_MAX, &number) || number != expected)
        fail_msg("'%s' is not read as %llu", text, (unsigned long long)expected);
}

TEST(numbers_are_plain_digits)
{
    assert_number("0", 0);
    assert_number("007", 7);
    assert_number("18446744073709551615", UINT64_MAX);
    static const char *const bad[] = {"", " 5", "+1", "1.", "1,000", "1\n", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t number = UNTOUCHED;
        if (text_parse_number(bad[i], 0, UINT64_MAX, &number))
            fail_msg("'%s' is taken for a number", bad[i]);
        assert_int_equal(number, UNTOUCHED);
    }
}

TEST(hundredths_are_exact)
{
    static const struct {
        const char *text;
        uint64_t hundredths;
    } good[] = {{"0.05", 5}, {"0.25", 25}, {"0.5", 50}, {"1", 100}, {"1.07", 107}, {"3.50", 350}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t hundredths = UNTOUCHED;
        if (!text_parse_hundredths(good[i].text, 5, 350, &hundredths) ||
            hundredths != good[i].hundredths)
            fail_msg("'%s' is not read as %llu", good[i].text,
                     (unsigned long long)good[i].hundredths);
    }
    static const char *const bad[] = {"",      "0",     "0.04", "3.51",  "4",
                                      "-1",    "+1",    "half", ".5",    "1.",
                                      "1.x",   "1 ",    "1.5x", "1.05x", "0.125",
                                      "0.250", "0.2.5", "1e0",  "0,5",   "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t hundredths = UNTOUCHED;
        if (text_parse_hundredths(bad[i], 5, 350, &hundredths))
            fail_msg("'%s' is taken", bad[i]);
        assert_int_equal(hundredths, UNTOUCHED);
    }
}

TEST(durations_have_a_unit)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"0", 0},
                {"0s", 0},
                {"7ns", 7},
                {"50us", 50000},
                {"1.5ms", 1500000},
                {"0.25s", 250000000},
                {"30s", 30000000000},
                {"2m", 120000000000},
                {"1.5h", 5400000000000},
                {"240h", 864000000000000},
                {"0.5ns", 1}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t duration_ns = UNTOUCHED;
        if (!text_parse_duration(good[i].text, &duration_ns) || duration_ns != good[i].ns)
            fail_msg("'%s' is not read as %llu ns", good[i].text, (unsigned long long)good[i].ns);
    }
    static const char *const bad[] = {"",    "5",    " 5s",   "5s ",    "+5s",
                                      "s",   "1e3s", "0x1s",  "infs",   "nans",
                                      ".5s", ".s",   "1..5s", "1.5.2s", "5S",
                                      "5d",  "5sec", "1s2s",  "240.1h", "000000000000000000001s"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t duration_ns = UNTOUCHED;
        if (text_parse_duration(bad[i], &duration_ns))
            fail_msg("'%s' is taken for a duration", bad[i]);
        assert_int_equal(duration_ns, UNTOUCHED);
    }
}

static void assert_list(const char *text, size_t expected_count, const uint64_t *expected)
{
    uint64_t *numbers = NULL;
    size_t count = 0;
    if (!text_parse_numbers(text, 0, UINT64_MAX, &numbers, &count))
        fail_msg("'%s' is not taken for a list", text);
    assert_int_equal(count, expected_count);
    assert_memory_equal(numbers, expected, count * sizeof *expected);
    free(numbers);
}

#define ASSERT_LIST(text, ...)                                                                     \
    assert_list(text, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t),                          \
                (const uint64_t[]){__VA_ARGS__})

TEST(lists_are_sorted_without_repetitions)
{
    ASSERT_LIST("5", 5);
    ASSERT_LIST("10,20", 10, 20);
    ASSERT_LIST("20,10,20", 10, 20);
    ASSERT_LIST("8..256x2", 8, 16, 32, 64, 128, 256);
    ASSERT_LIST("8..100x3", 8, 24, 72);
    ASSERT_LIST("8..24+8", 8, 16, 24);
    ASSERT_LIST("0..7+3", 0, 3, 6);
    ASSERT_LIST("8..8x2", 8);
    ASSERT_LIST("7,2-4", 2, 3, 4, 7);
    ASSERT_LIST("8..32x2,1,12..20+4", 1, 8, 12, 16, 20, 32);
}

/* The last value before 64 bits run out is the last of the range. */
TEST(ranges_end_at_64_bits)
{
    ASSERT_LIST("6148914691236517206..18446744073709551615x5", UINT64_C(6148914691236517206));
    ASSERT_LIST("18446744073709551614..18446744073709551615+1", UINT64_MAX - 1, UINT64_MAX);
}

TEST(bad_lists_are_refused)
{
    static const char *const bad[] = {",",        ",10",    "10, 20",     " 10",       "5-1",
                                      "8..",      "..8",    "8..256x",    "8..256x0",  "8..4x2",
                                      "8..256*2", "0..8x2", "8..256x2x2", "8...256x2", "8..256x-2",
                                      "8;16",     "8..256", "9..8+1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t *numbers = NULL;
        size_t count = UNTOUCHED;
        if (text_parse_numbers(bad[i], 0, UINT64_MAX, &numbers, &count))
            fail_msg("'%s' is taken for a list", bad[i]);
        assert_null(numbers);
        assert_int_equal(count, UNTOUCHED);
    }
    uint64_t *numbers = NULL;
    size_t count = 0;
    assert_false(text_parse_numbers("2,9", 3, 9, &numbers, &count));
    assert_false(text_parse_numbers("3,10", 3, 9, &numbers, &count));
    assert_false(
        text_parse_numbers("0000000000000000000000000000000000000000000000000000000000000005", 0, 9,
                           &numbers, &count)); /* 64 digits: longer than an item */
    assert_false(text_parse_numbers("3..10+1", 3, 9, &numbers, &count));
}

TEST(texts_are_alike_but_for_their_numbers)
{
    assert_true(
        text_is_alike("handoff 3: gets: law 2, found 13", "handoff 12: gets: law 4, found 5"));
    assert_true(text_is_alike("session 0x10a3 was lost", "session 0xff was lost"));
    assert_false(text_is_alike("handoff 3: gets: law 2", "handoff 3: syncs: law 2"));
    assert_false(text_is_alike("handoff 3", "handoff 3: more"));
}

TEST(items_are_cut_at_commas)
{
    const char *list = "one,,toolong,end,";
    char item[6];
    static const char *const expected[] = {"one", "", "", "end", ""};
    for (size_t i = 0; i < 5; i++) {
        assert_true(text_next_item(&list, item, sizeof item));
        assert_string_equal(item, expected[i]);
    }
    assert_false(text_next_item(&list, item, sizeof item));
}

TEST(durations_read_well)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } durations[] = {{0, "0 us"},
                     {850000, "850 us"},
                     {1400000, "1.4 ms"},
                     {999499999, "999 ms"},
                     {999700000, "1.0 s"},
                     {1400000000, "1.4 s"},
                     {59400000000, "59.4 s"},
                     {59970000000, "1 min 00 s"},
                     {125000000000, "2 min 05 s"},
                     {3599600000000, "1 h 00 min"},
                     {7260000000000, "2 h 01 min"}};
    char text[32];
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        assert_string_equal(text_format_duration(durations[i].ns, text, sizeof text),
                            durations[i].text);
}

/* ------------------------------------------------------------------ foreign text */

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

/* ------------------------------------------------------------------ JSON */

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
