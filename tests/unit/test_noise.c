// SPDX-License-Identifier: Apache-2.0
/* What else the machine did: texts of /proc, the difference of two readings, and processes whose
 * CPU time is known; which trials count as disturbed, and which are made again. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/noise.h"
#include "bench/output/noise_watch.h"

#include "tests/support/test.h"
#include "tests/support/words.h"

#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BURNT_S 0.1

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* ------------------------------------------------------------------ texts */

TEST(idle_and_stolen_time_are_those_of_the_cores_that_count)
{
    double idle_s, stolen_s, tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    cpu_set_t even;
    CPU_ZERO(&even);
    CPU_SET(0, &even);
    CPU_SET(2, &even);
    noise_parse_stat("cpu  1 2 3 4000 50 6 7 800 9 10\n"
                     "cpu0 1 2 3 100 20 6 7 3 9 10\n"
                     "cpu1 1 2 3 9999 99 6 7 99 9 10\n"
                     "cpu2 1 2 3 1000 200 6 7 4 9 10\n"
                     "intr 12345 0\n",
                     &even, &idle_s, &stolen_s);
    assert_near(idle_s, 1320 * tick_s);
    assert_near(stolen_s, 7 * tick_s);
}

TEST(a_pressure_is_the_total_of_the_line_some)
{
    assert_near(noise_parse_pressure("some avg10=1.50 avg60=2.00 avg300=3.00 total=2500000\n"
                                     "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"),
                2.5);
    assert_true(isnan(noise_parse_pressure("")));
    assert_true(isnan(noise_parse_pressure("full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n")));
}

TEST(the_throttled_time_of_both_versions_of_cgroups)
{
    assert_near(noise_parse_throttled("usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n"),
                1.5);
    assert_near(noise_parse_throttled("nr_periods 2\nnr_throttled 3\nthrottled_time 250000000\n"),
                0.25);
    assert_true(isnan(noise_parse_throttled("usage_usec 9\n")));
}

/* ------------------------------------------------------------------ a difference */

/* Ten seconds on four cores: 30 s idle, 1 s stolen, 5 s allied, 1.5 s of kernel threads. */
static const struct noise_reading before = {.at_s = 100,
                                            .ahead_s = 1e9,
                                            .cores = 4,
                                            .idle_s = 50,
                                            .stolen_s = 2,
                                            .allied_s = 7,
                                            .kernel_s = 3,
                                            .waited_s = {1, 2, NAN},
                                            .throttled_s = 0.5,
                                            .slowest_hz = 2e9,
                                            .fastest_hz = 3e9},
                                  after = {.at_s = 110,
                                           .ahead_s = 1e9 + 0.25,
                                           .cores = 4,
                                           .idle_s = 80,
                                           .stolen_s = 3,
                                           .allied_s = 12,
                                           .kernel_s = 4.5,
                                           .waited_s = {3, 2, NAN},
                                           .throttled_s = 0.75,
                                           .slowest_hz = 1e9,
                                           .fastest_hz = 2.5e9};

TEST(others_have_what_nobody_else_had)
{
    const struct noise noise = noise_between(&before, &after);
    assert_near(noise.cores, 4);
    assert_near(noise.others_cores, 4 - (30 + 1 + 5 + 1.5) / 10);
    assert_near(noise.stolen_cores, 0.1);
    assert_near(noise.pressure_percent[NOISE_CPU], 20);
    assert_near(noise.pressure_percent[NOISE_IO], 0);
    assert_true(isnan(noise.pressure_percent[NOISE_MEMORY]));
    assert_near(noise.throttled_percent, 2.5);
    if (fabs(noise.clock_jump_us - 250e3) > 1)
        fail_msg("a jump of %g us", noise.clock_jump_us);
    assert_near(noise.frequency_percent, 100.0 / 3);
}

TEST(others_never_have_less_than_nothing)
{
    struct noise_reading busy = after;
    busy.allied_s += 100;
    assert_near(noise_between(&before, &busy).others_cores, 0);
    busy.others_s = -3; /* one has ended, and nobody has waited for it */
    assert_near(noise_between(&before, &busy).others_cores, 0);
}

TEST(a_thread_of_the_kernel_that_ends_makes_nobody_busy)
{
    struct noise_reading ended = after;
    ended.kernel_s = 1;
    assert_near(noise_between(&before, &ended).others_cores, 0.4);
}

/* What is left is 2.5 s, known to two ticks a core. */
TEST(what_is_seen_of_others_counts_unless_it_misses_some)
{
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    struct noise_reading seen = after;
    seen.others_s = 2.5 - 7.9 * tick_s;
    assert_near(noise_between(&before, &seen).others_cores, seen.others_s / 10);
    seen.others_s = 2.5 - 8.1 * tick_s;
    assert_near(noise_between(&before, &seen).others_cores, 0.25);
    seen.others_s = 2.7;
    assert_near(noise_between(&before, &seen).others_cores, 0.27);
}

/* Whoever reaps a process of 311 s within the span has not used them in it. */
TEST(nobody_uses_more_than_there_is)
{
    struct noise_reading reaped = after;
    reaped.others_s = 311;
    assert_near(noise_between(&before, &reaped).others_cores, 0.25);
}

/* ------------------------------------------------------------------ processes */

static void burn(void)
{
    uint64_t from_ns = clock_cpu_ns();
    while (clock_cpu_ns() - from_ns < (uint64_t)(BURNT_S * 1e9))
        ;
}

/* A child of a child burns; both end in order. */
static void have_a_grandchild_burn(void)
{
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            burn();
            _exit(0);
        }
        waitpid(grandchild, NULL, 0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static double allied_since(const struct noise_reading *from, const struct noise_allies *allies)
{
    return noise_read(allies).allied_s - from->allied_s;
}

TEST(descendants_are_no_others_even_after_their_end)
{
    const struct noise_reading from = noise_read(NULL);
    have_a_grandchild_burn();
    double allied_s = allied_since(&from, NULL);
    if (allied_s < BURNT_S - 0.02) /* what was reaped is known to 10 ms */
        fail_msg("%g s of %g", allied_s, BURNT_S);
}

/* ------------------------------------------------------------------ trials */

static struct noise_options options;
static struct noise_watch watch;

/* A row with a verdict, and the columns of noise behind it. */
enum { VALID = 1, REASON, FAILS, COLUMNS };
static struct table_value row[COLUMNS + noise_row_columns_count], *const columns = row + COLUMNS;
static const struct trial_kind kind = {
    .valid = VALID, .reason = REASON, .fails = FAILS, .noise = COLUMNS};

static const struct noise quiet = {.cores = 2}, busy = {.cores = 2, .others_cores = 1};

/* A watch with room for two more attempts, before any trial. */
static void begin_watch(enum noise_mode mode)
{
    options = (struct noise_options){.mode = mode};
    watch =
        (struct noise_watch){.options = &options, .retries = 2, .knows_others = true, .attempt = 1};
}

static void judge(const struct noise *noise, bool fails, bool stalled)
{
    const struct noise_attempt attempt = {true, stalled, 7};
    free(row[REASON].text);
    row[VALID] = table_flag(true);
    row[REASON] = table_text("");
    row[FAILS] = table_flag(fails);
    bool counts = noise_watch_judge(&watch, noise, &kind, row, &attempt);
    assert_int_equal(row[VALID].flag, counts);
    assert_int_equal(columns[noise_row_noise_disturbed].flag, watch.disturbed);
    assert_int_equal(columns[noise_row_noise_others_packets].count, 7);
}

/* Servers that cannot be told from other programs disturb nothing. */
TEST(the_bound_is_a_share_of_the_cores)
{
    static const struct {
        struct noise noise;
        bool disturbed, knows_no_others;
    } cases[] = {
        {{.cores = 2}, false, false},
        {{.cores = 2, .others_cores = 0.19}, false, false},
        {{.cores = 2, .others_cores = 0.21}, true, false},
        {{.cores = 64, .others_cores = 1}, false, false},
        {{.cores = 2, .others_cores = 0.11, .stolen_cores = 0.1}, true, false},
        {{.cores = 2, .throttled_percent = 2}, true, false},
        {{.cores = 2, .clock_jump_us = -200e3}, true, false},
        {{.cores = 2, .clock_jump_us = 50e3}, false, false},
        {{.cores = 2, .others_cores = 1.5}, false, true},
        {{.cores = 2, .stolen_cores = 1.5}, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_watch(NOISE_RETRY);
        watch.knows_others = !cases[i].knows_no_others;
        judge(&cases[i].noise, false, false);
        assert_int_equal(watch.disturbed, cases[i].disturbed);
        assert_int_equal(row[VALID].flag, !cases[i].disturbed);
        assert_int_equal(watch.again, cases[i].disturbed);
        assert_int_equal(columns[noise_row_noise_others_cores].real >= 0,
                         !cases[i].knows_no_others);
    }
}

TEST(retries_end)
{
    begin_watch(NOISE_RETRY);
    for (int i = 0; i < 4; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i < 2);
        assert_false(row[VALID].flag);
    }
    assert_int_equal(watch.made_again, 2);
    assert_int_equal(watch.attempts_disturbed, 4);
}

TEST(noise_that_lasts_leaves_retries_to_other_trials)
{
    begin_watch(NOISE_RETRY);
    watch.retries = 10;
    for (watch.attempt = 1; watch.attempt <= 4; watch.attempt++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, watch.attempt < 3);
    }
}

/* Of trials with one attempt left each: a quiet one begins the row anew. */
TEST(four_disturbed_attempts_in_a_row_end_the_retries)
{
    begin_watch(NOISE_RETRY);
    watch.retries = 100;
    for (int i = 1; i <= 6; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i < 4);
    }
    judge(&quiet, false, false);
    judge(&busy, false, false);
    assert_true(watch.again);
    assert_int_equal(watch.made_again, 4);
}

/* The search asks for it; and it ends when noise lasts, sooner if nothing was quiet before. */
TEST(votes_are_made_again_once_one_was_quiet)
{
    begin_watch(NOISE_RETRY);
    watch.votes = true;
    for (int i = 1; i <= NOISE_AT_FIRST; i++) {
        judge(&busy, false, false);
        assert_false(watch.again);
        assert_int_equal(noise_watch_lasts(&watch), i == NOISE_AT_FIRST);
    }
    judge(&quiet, false, false);
    assert_false(noise_watch_lasts(&watch));
    for (int i = 1; i <= NOISE_IN_A_ROW; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i <= 2); /* retries */
        assert_int_equal(noise_watch_lasts(&watch), i == NOISE_IN_A_ROW);
    }
}

TEST(a_verdict_that_fails_is_not_tried_again)
{
    begin_watch(NOISE_RETRY);
    judge(&busy, true, true);
    assert_false(watch.again);
    assert_int_equal(watch.made_again, 0);
}

/* valid and noise_disturbed never contradict each other; a vote of a search counts all the same. */
TEST(a_report_makes_nothing_again)
{
    begin_watch(NOISE_REPORT);
    watch.votes = true;
    judge(&busy, false, false);
    assert_true(watch.disturbed);
    assert_true(row[VALID].flag);
    assert_false(noise_watch_lasts(&watch));
    watch.votes = false;
    judge(&busy, false, false);
    assert_false(row[VALID].flag);
    assert_string_equal(row[REASON].text, "disturbed: others used 1.0 of 2 cores");
    assert_false(watch.again);
    assert_true(columns[noise_row_noise_others_cores].real == 1);
    judge(&quiet, false, true);
    assert_true(watch.again);
}

TEST(a_stall_is_tried_again_without_noise)
{
    struct table_value own[COLUMNS + noise_row_columns_count] = {0};
    const struct noise_attempt attempt = {true, true, 7};
    begin_watch(NOISE_OFF);
    noise_watch_end(&watch, &kind, own, &attempt);
    assert_true(watch.again);
    assert_int_equal(own[COLUMNS + noise_row_noise_disturbed].kind, TABLE_UNKNOWN);
    begin_watch(NOISE_OFF);
    watch.retries = 0;
    noise_watch_end(&watch, &kind, own, &attempt);
    assert_false(watch.again);
    begin_watch(NOISE_OFF);
    watch.options = NULL;
    noise_watch_end(&watch, &kind, own, &attempt);
    assert_false(watch.again);
}
