// SPDX-License-Identifier: Apache-2.0
/* When the sessions of an offered rate send: at constant distances exactly, at random as a Poisson
 * process. */

#include "base/clock.h"
#include "load/load_session.h"
#include "measure/statistics.h"

#include "tests/support/test.h"

#include <math.h>

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

/* So much that steps would take minutes. */
TEST(an_hour_is_skipped_at_once)
{
    struct schedule schedule;
    schedule_init(&schedule, 10000000, false, 0, 1, START_NS, 1);
    assert_int_equal(schedule_skip(&schedule, START_NS + 3600 * NS_PER_S), UINT64_C(36000000000));
    assert_int_equal(schedule.due_ns, START_NS + 3600 * NS_PER_S);
}

/* ------------------------------------------------------------------ what is sent then */

#define DRAWS 1000

/* What is given up before an operation does not change what the operation is. */
TEST(an_operation_depends_on_its_number)
{
    static struct load_plan plan;
    static struct load_shared load = {.plan = &plan};
    static struct load_session session = {.load = &load};
    enum load_kind kinds[DRAWS];
    size_t gets = 0;
    assert_true(mix_parse("get=60,set=40", &plan.mix, NULL, 0));
    load_requests_init(&session, 7);
    for (uint64_t number = 0; number < DRAWS; number++) {
        load_requests_seek(&session, number);
        kinds[number] = load_requests_draw(&session);
        gets += kinds[number] == LOAD_GET;
    }
    assert_in_range(gets, DRAWS * 55 / 100, DRAWS * 65 / 100);
    for (uint64_t number = 0; number < DRAWS; number += 3) {
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

/* Of that many the standard deviation is the root. */
TEST(poisson_times_have_the_mean)
{
    const double expected = POISSON_RATE * POISSON_SECONDS;
    assert_true(fabs((double)draw_times() - expected) < 4 * sqrt(expected));
}

/* The share of the gaps that are longer than so many means is e to the minus so many; and the gaps
 * vary as much as their mean. */
TEST(all_sessions_together_are_a_poisson_process)
{
    static const double means[] = {0.1, 0.5, 1, 2, 4};
    size_t gaps = draw_times() - 1;
    double sum = 0, squares = 0;
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

TEST(the_seed_is_the_schedule)
{
    struct schedule one, same, other;
    unsigned different = 0;
    schedule_init(&one, 1000, true, 3, 8, START_NS, 42);
    schedule_init(&same, 1000, true, 3, 8, START_NS, 42);
    schedule_init(&other, 1000, true, 3, 8, START_NS, 43);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(one.due_ns, same.due_ns);
        different += one.due_ns != other.due_ns;
        schedule_advance(&one);
        schedule_advance(&same);
        schedule_advance(&other);
    }
    assert_true(different > 990);
}
