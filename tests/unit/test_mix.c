// SPDX-License-Identifier: Apache-2.0
/* The mix of a load: which lists are refused; what is drawn from one. */

#include "load/mix.h"

#include "tests/support/test.h"

#include <math.h>

/* ------------------------------------------------------------------ what is refused */

/* The words of each reason are in tests/golden/refusals. */
TEST(what_is_no_mix_is_refused)
{
    static const char *const refused[] = {
        "",
        "get",
        "get=",
        "get=0",
        "get=101",
        "get=-1",
        "get=1.5",
        "get=50,",
        ",get=100",
        "get=50,,set=50",
        "get=50,set=50x",
        "get=1e2",
        "get=00000000000000000000000000100", /* longer than any item needs */
        "=100",
        "GET=100",
        "get=50,abcdefghijklmnopqrstuvw=50",
        "trylock=50,unlock=50",
        "create-delete=50,async-delete=50", /* those that follow */
        "get=40,set=20,get=40",
        "get=99",
        "get=50,set=51",
        "create=49,delete=51"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct mix mix, before;
        char why[160] = "";
        memset(&mix, 0x5a, sizeof mix);
        before = mix;
        if (mix_parse(refused[i], &mix, why, sizeof why))
            fail_msg("'%s' is taken", refused[i]);
        assert_true(why[0] != '\0');
        assert_memory_equal(&mix, &before, sizeof mix);
    }
}

/* ------------------------------------------------------------------ what is taken */

static struct mix parse(const char *text)
{
    struct mix mix;
    char why[160];
    if (!mix_parse(text, &mix, why, sizeof why))
        fail_msg("%s: %s", text, why);
    return mix;
}

TEST(a_mix_is_read_as_it_is_written)
{
    static const char *const texts[] = {
        "get=100",
        "trylock=100",
        "get=80,set=20",
        "get=30,exists=10,children=9,set=20,create=15,delete=10,multi=5,trylock=1",
        "get=1,exists=1,children=1,set=1,create=1,delete=1,multi=1,trylock=93",
        "create-delete=100",
        "get=11,exists=11,children=11,set=11,create=11,delete=11,multi=11,trylock=11,"
        "create-delete=12",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[128];
        struct mix mix = parse(texts[i]);
        assert_string_equal(mix_format(&mix, text, sizeof text), texts[i]);
        struct mix again = parse(text);
        assert_memory_equal(&mix, &again, sizeof mix);
    }
}

/* Which use znodes of the session's own, and which take two requests: a create may be answered
 * before any of the deletes that it and others are followed by. */
TEST(what_a_mix_needs)
{
    static const struct {
        const char *text;
        bool folders;
        uint32_t requests;
    } cases[] = {{"children=1,get=99", true, 1},      {"create=50,delete=50", true, 1},
                 {"create-delete=1,get=99", true, 2}, {"get=50,exists=50", false, 1},
                 {"set=50,multi=50", false, 1},       {"trylock=100", false, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mix mix = parse(cases[i].text);
        assert_int_equal(mix_needs_folders(&mix), cases[i].folders);
        assert_int_equal(mix_requests(&mix, 4096), 4096 * cases[i].requests);
    }
}

/* ------------------------------------------------------------------ what is drawn */

#define DRAWS 1000000

/* Each kind within five standard deviations of its share, and none that the mix does not name. */
static void assert_draws(const struct mix *mix)
{
    uint64_t drawn[LOAD_KINDS] = {0};
    struct random random;
    random_init(&random, 1);
    for (int i = 0; i < DRAWS; i++)
        drawn[mix_draw(mix, &random)]++;
    assert_int_equal(drawn[LOAD_UNLOCK], 0);
    assert_int_equal(drawn[LOAD_ASYNC_DELETE], 0);
    for (int kind = 0; kind < (int)MIX_KINDS; kind++) {
        double share = mix->percent[kind] / 100.0;
        double width = 5 * sqrt(DRAWS * share * (1 - share));
        if (fabs((double)drawn[kind] - DRAWS * share) > width)
            fail_msg("%s: %llu of %d, not %.0f +- %.0f", load_kind_word((enum load_kind)kind),
                     (unsigned long long)drawn[kind], DRAWS, DRAWS * share, width);
    }
}

TEST(kinds_are_drawn_with_their_shares)
{
    static const char *const texts[] = {
        "get=100",
        "trylock=100",
        "get=99,trylock=1",
        "get=1,trylock=99",
        "exists=50,create=50",
        "trylock=50,create-delete=50",
        "get=30,exists=10,children=9,set=20,create=15,delete=10,multi=5,trylock=1",
        "get=1,exists=1,children=1,set=1,create=1,delete=1,multi=1,trylock=93",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct mix mix = parse(texts[i]);
        assert_draws(&mix);
    }
}
