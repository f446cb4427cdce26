// SPDX-License-Identifier: Apache-2.0
/* What else the machine did: texts of /proc, the difference of two readings, and processes whose
 * CPU time is known. */
#include "base/noise.h"

#include "base/clock.h"

#include <math.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

#define BURNT_S 0.1

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* ------------------------------------------------------------------ texts */

static bool is_even(const void *context, unsigned core)
{
    (void)context;
    return core % 2 == 0;
}

TEST(idle_and_stolen_time_are_those_of_the_cores_that_count)
{
    double idle_s, stolen_s, tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    noise_parse_stat("cpu  1 2 3 4000 50 6 7 800 9 10\n"
                     "cpu0 1 2 3 100 20 6 7 3 9 10\n"
                     "cpu1 1 2 3 9999 99 6 7 99 9 10\n"
                     "cpu2 1 2 3 1000 200 6 7 4 9 10\n"
                     "intr 12345 0\n",
                     is_even, NULL, &idle_s, &stolen_s);
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

/* Starts a process that burns when it is told to, and then waits, with this process as a parent
 * only for a moment. */
static pid_t start_a_stranger(int *tell, int *hear)
{
    int orders[2], answers[2];
    pid_t stranger = 0;
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(answers), 0);
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            char order;
            pid_t self = getpid();
            close(orders[1]);
            prctl(PR_SET_PDEATHSIG, 0);
            (void)!write(answers[1], &self, sizeof self);
            while (read(orders[0], &order, 1) == 1) {
                burn();
                (void)!write(answers[1], &self, sizeof self);
            }
        }
        _exit(0);
    }
    close(orders[0]);
    close(answers[1]);
    waitpid(child, NULL, 0);
    assert_int_equal(read(answers[0], &stranger, sizeof stranger), sizeof stranger);
    *tell = orders[1];
    *hear = answers[0];
    return stranger;
}

static void have_it_burn(int tell, int hear)
{
    pid_t answer;
    assert_int_equal(write(tell, "!", 1), 1);
    assert_int_equal(read(hear, &answer, sizeof answer), sizeof answer);
}

TEST(a_stranger_counts_if_it_is_an_ally)
{
    int tell, hear;
    const struct noise_allies allies = {.pids = {start_a_stranger(&tell, &hear)}, .count = 1};
    const struct noise_reading alone = noise_read(NULL), together = noise_read(&allies);
    have_it_burn(tell, hear);
    double allied_s = allied_since(&together, &allies), without_s = allied_since(&alone, NULL);
    close(tell);
    close(hear);
    if (allied_s < BURNT_S || allied_s - without_s < BURNT_S - 0.02)
        fail_msg("with the ally %g s, without %g", allied_s, without_s);
}
