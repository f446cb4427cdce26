// SPDX-License-Identifier: Apache-2.0
/* What a load sends, and when: the mix, which lists are refused, and what is drawn from one; the
 * sessions of an offered rate, at constant distances exactly, at random as a Poisson process. */
#include "base/clock.h"
#include "load/load_plan.h"
#include "load/load_session.h"
#include "measure/statistics.h"

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

#define START_NS UINT64_C(1234567890123456789)

/* ------------------------------------------------------------------ at constant distances */

/* The k-th operation of all sessions is the session's whose turn it is, and is due after k/rate
 * seconds, to the nanosecond below. */
static void check_constant(uint64_t rate_per_s, uint32_t sessions)
{
    struct schedule *schedules = calloc(sessions, sizeof *schedules);
    assert_non_null(schedules);
    for (uint32_t i = 0; i < sessions; i++)
        schedule_init(&schedules[i], rate_per_s, false, i, sessions, START_NS, i);
    for (uint64_t k = 0; k < 10000; k++) {
        struct schedule *schedule = &schedules[k % sessions];
        assert_int_equal(schedule->due_ns, START_NS + k * NS_PER_S / rate_per_s);
        schedule_advance(schedule);
    }
    free(schedules);
}

TEST(constant_times_interleave)
{
    check_constant(1000, 1);
    check_constant(1000, 7);
    check_constant(7, 3);
    check_constant(3, 100);
    check_constant(1, 2);
    check_constant(999999, 20);
    check_constant(10000000, 100);
}

/* The whole rate of a million a second is in each second, after an hour and after a day. */
TEST(constant_times_do_not_drift)
{
    static const uint64_t hours[] = {1, 6, 24, 24 * 365};
    for (size_t i = 0; i < sizeof hours / sizeof hours[0]; i++) {
        const uint64_t seconds = hours[i] * 3600, rate_per_s = 1000000;
        struct schedule schedule;
        schedule_init(&schedule, rate_per_s, false, 0, 1, 0, 1);
        schedule.number = seconds * rate_per_s - 1;
        for (uint64_t k = 0; k <= rate_per_s; k++) {
            schedule_advance(&schedule);
            assert_int_equal(schedule.due_ns, seconds * NS_PER_S + k * 1000);
        }
    }
}

/* To a time on, before and behind a due time: the same as step by step. */
static void check_skip(uint64_t rate_per_s, uint32_t sessions, bool poisson)
{
    for (uint32_t session = 0; session < sessions; session++) {
        struct schedule steps, skips;
        schedule_init(&steps, rate_per_s, poisson, session, sessions, START_NS, 5);
        skips = steps;
        for (uint64_t k = 0; k < 300; k++) {
            uint64_t until_ns = START_NS + k * 7 * NS_PER_S / rate_per_s + k % 3 - 1, skipped = 0;
            for (; steps.due_ns < until_ns; skipped++)
                schedule_advance(&steps);
            assert_int_equal(schedule_skip(&skips, until_ns), skipped);
            assert_int_equal(skips.due_ns, steps.due_ns);
        }
    }
}

TEST(what_is_skipped_is_counted)
{
    check_skip(1000, 1, false);
    check_skip(7, 3, false);
    check_skip(999999, 20, false);
    check_skip(10000000, 100, false);
    check_skip(1000, 4, true);
}

/* ------------------------------------------------------------------ what is sent then */

#define OPERATIONS 1000

/* What is given up before an operation does not change what the operation is. */
TEST(an_operation_depends_on_its_number)
{
    static struct load_plan plan;
    static struct load_shared load = {.plan = &plan};
    static struct load_session session = {.load = &load};
    enum load_kind kinds[OPERATIONS];
    size_t gets = 0;
    assert_true(mix_parse("get=60,set=40", &plan.mix, NULL, 0));
    load_requests_init(&session, 7);
    for (uint64_t number = 0; number < OPERATIONS; number++) {
        load_requests_seek(&session, number);
        kinds[number] = load_requests_draw(&session);
        gets += kinds[number] == LOAD_GET;
    }
    assert_in_range(gets, OPERATIONS * 55 / 100, OPERATIONS * 65 / 100);
    for (uint64_t number = 0; number < OPERATIONS; number += 3) {
        load_requests_seek(&session, number);
        assert_int_equal(load_requests_draw(&session), kinds[number]);
    }
}

/* ------------------------------------------------------------------ at random */

#define POISSON_RATE     20000
#define POISSON_SESSIONS 16
#define POISSON_SECONDS  10

static double times_s[2 * POISSON_RATE * POISSON_SECONDS];

/* The due times of all sessions together, in order. */
static size_t draw_times(void)
{
    size_t count = 0;
    for (uint32_t session = 0; session < POISSON_SESSIONS; session++) {
        struct schedule schedule;
        schedule_init(&schedule, POISSON_RATE, true, session, POISSON_SESSIONS, START_NS,
                      1000 + session);
        for (; schedule.due_ns < START_NS + POISSON_SECONDS * NS_PER_S;
             schedule_advance(&schedule)) {
            assert_true(schedule.due_ns >= START_NS);
            assert_true(count < sizeof times_s / sizeof times_s[0]);
            times_s[count++] = (double)(schedule.due_ns - START_NS) / 1e9;
        }
    }
    statistics_sort(times_s, count);
    return count;
}

/* Of so many times the standard deviation is the root; the share of the gaps that are longer than
 * so many means is e to the minus so many; and the gaps vary as much as their mean. */
TEST(all_sessions_together_are_a_poisson_process)
{
    static const double means[] = {0.1, 0.5, 1, 2, 4};
    const double expected = POISSON_RATE * POISSON_SECONDS;
    size_t gaps = draw_times() - 1;
    double sum = 0, squares = 0;
    assert_true(fabs((double)gaps + 1 - expected) < 4 * sqrt(expected));
    for (size_t i = 0; i < gaps; i++) {
        double gap = (times_s[i + 1] - times_s[i]) * POISSON_RATE;
        sum += gap;
        squares += gap * gap;
    }
    double mean = sum / (double)gaps, variance = squares / (double)gaps - mean * mean;
    assert_true(fabs(sqrt(variance) / mean - 1) < 0.02);
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        size_t longer = 0;
        for (size_t k = 0; k < gaps; k++)
            longer += (times_s[k + 1] - times_s[k]) * POISSON_RATE > means[i];
        double share = exp(-means[i]);
        double width = 5 * sqrt((double)gaps * share * (1 - share));
        assert_true(fabs((double)longer - (double)gaps * share) < width);
    }
}
