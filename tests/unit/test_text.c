// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

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
    static const char *const bad[] = {"",
                                      " 5",
                                      "+1",
                                      "1.",
                                      "1,000",
                                      "1\n",
                                      "٣",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
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

/* tests/golden/refusals has those that are. */
TEST(a_range_that_is_not_to_blame_is_not_explained)
{
    char text[192];
    static const char *const others[] = {"", "8", "8..", "8..x2", "a..b", "8..9x1", "8..9x", "8.9"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(text_explain_range(others[i], text, sizeof text));
}

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
    static const char *const bad[] = {
        ",",
        ",10",
        "10, 20",
        " 10",
        "1-5",
        "8..",
        "..8",
        "8..256x",
        "8..256x0",
        "8..4x2",
        "8..256*2",
        "0..8x2",
        "8..256x2x2",
        "8...256x2",
        "8..256x-2",
        "8;16",
        "18446744073709551616",
        "00000000000000000000000000000000000000000000000000000000000000000000005"};
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
    assert_false(text_parse_numbers("3..10+1", 3, 9, &numbers, &count));
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

TEST(distance_counts_edits)
{
    assert_int_equal(text_distance("", ""), 0);
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("RUN", "run"), 0);
    assert_true(text_is_like("scalbale", "scalable"));
    assert_false(text_is_like("scalpels", "scalable"));
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("clients", "client"), 1);
    char lengthy[101];
    memset(lengthy, 'x', 100);
    lengthy[100] = '\0';
    assert_int_equal(text_distance(lengthy, ""), 63);
    assert_int_equal(text_distance(lengthy, lengthy), 0);
}

TEST(counts_have_their_thousands_apart)
{
    char text[27];
    assert_string_equal(text_format_count(0, text, sizeof text), "0");
    assert_string_equal(text_format_count(999, text, sizeof text), "999");
    assert_string_equal(text_format_count(1000, text, sizeof text), "1,000");
    assert_string_equal(text_format_count(1001000, text, sizeof text), "1,001,000");
    char share[64];
    assert_string_equal(text_format_share(1, 1, share, sizeof share), "the only trial");
    assert_string_equal(text_format_share(0, 1, share, sizeof share), "0 of 1 trial");
    assert_string_equal(text_format_share(1, 5, share, sizeof share), "1 of 5 trials");
    assert_string_equal(text_format_count(UINT64_MAX, text, sizeof text),
                        "18,446,744,073,709,551,615");
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
