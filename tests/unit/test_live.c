// SPDX-License-Identifier: Apache-2.0
/* The lines of a second and of a trial of a load on a terminal: what is in them, and that they fit.
 */

#include "bench/output/load_series.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#define COLUMNS 79

static struct histogram response;

FIXTURE(set_up)
{
    memset(&response, 0, sizeof response);
    return 0;
}

static void record(uint64_t value_ns, unsigned times)
{
    while (times-- > 0)
        histogram_record(&response, value_ns);
}

static const char *put(uint32_t second, uint64_t answered, uint64_t errors, uint64_t lag_ns,
                       uint64_t left_ns)
{
    static char line[LIVE_LINE_SIZE];
    memset(line, 'x', sizeof line);
    live_format_second(second, answered, errors, &response, lag_ns, left_ns, line);
    assert_non_null(memchr(line, '\0', sizeof line));
    return line;
}

TEST_BETWEEN(a_second_has_its_figures, set_up, NULL)
{
    record(400 * NS_PER_US, 98);
    record(12300 * NS_PER_US, 2);
    assert_string_equal(put(0, 12345, 0, 0, 45 * NS_PER_S),
                        "   1 s  45.0 s left    12,345/s  p50 0.4 ms  p99 12.3 ms");
    assert_string_equal(put(3599, 12345, 7, 250 * NS_PER_US, 45 * NS_PER_S),
                        "3600 s  45.0 s left    12,345/s  p50 0.4 ms  p99 12.3 ms  errors 7  "
                        "lag 0.2 ms");
}

/* Of too few answers there is no percentile, and that is no zero. */
TEST_BETWEEN(a_second_of_few_answers_has_no_percentile, set_up, NULL)
{
    assert_string_equal(put(4, 0, 0, 0, NS_PER_S), "   5 s  1.0 s left         0/s");
    record(NS_PER_MS, 99);
    assert_string_equal(put(5, 99, 0, 0, 0), "   6 s  0 s left        99/s  p50 1.0 ms");
}

static void assert_fits(const char *line)
{
    if (strlen(line) > COLUMNS)
        fail_msg("%zu columns: '%s'", strlen(line), line);
    assert_int_not_equal(line[strlen(line) - 1], ' ');
}

TEST_BETWEEN(a_second_of_large_numbers_fits, set_up, NULL)
{
    static const uint64_t counts[] = {0, 1, 999, 123456, 10000000, UINT64_MAX};
    static const uint64_t times_ns[] = {
        0,         NS_PER_US, 1234567, NS_PER_S, 59 * NS_PER_S, 3599 * NS_PER_S, 864000 * NS_PER_S,
        UINT64_MAX};
    record(70 * NS_PER_S, 60); /* above the range */
    record(UINT64_MAX, 60);
    for (size_t answered = 0; answered < 6; answered++) {
        for (size_t errors = 0; errors < 6; errors++) {
            for (size_t lag = 0; lag < 8; lag++) {
                for (size_t left = 0; left < 8; left++) {
                    const char *line =
                        put(3599, counts[answered], counts[errors], times_ns[lag], times_ns[left]);
                    assert_fits(line);
                    assert_has(line, " left ");
                }
            }
        }
    }
}

/* ------------------------------------------------------------------ the line of a trial */

static const char *put_trial(size_t at, size_t count, const struct load_cell *cell,
                             const char *target)
{
    static char line[LIVE_LINE_SIZE];
    memset(line, 'x', sizeof line);
    live_format_trial(at, count, cell, target, line);
    assert_non_null(memchr(line, '\0', sizeof line));
    return line;
}

TEST_BETWEEN(a_trial_has_its_name, set_up, NULL)
{
    struct load_cell cell = {.mix = mix_of_reads(80), .sessions = 1};
    assert_string_equal(put_trial(0, 6, &cell, ""), "[1/6] 1 session, rehearsal, get=80,set=20");
    cell.sessions = 2000;
    cell.rate_per_s = 16000;
    cell.trial = 3;
    assert_string_equal(put_trial(4, 6, &cell, "ensemble3"),
                        "[5/6] ensemble3: 2,000 sessions, 16,000/s, trial 3, get=80,set=20");
}

TEST_BETWEEN(the_name_of_a_trial_fits, set_up, NULL)
{
    struct load_cell cell = {.sessions = 20, .trial = 1};
    for (int kind = 0; kind < MIX_KINDS; kind++)
        cell.mix.percent[kind] = kind < 4 ? 12 : 13;
    const char *line = put_trial(0, 1, &cell, "");
    assert_string_equal(line, "[1/1] 20 sessions, trial 1, "
                              "get=12,exists=12,children=12,set=12,create=13,de...");
    assert_int_equal(strlen(line), COLUMNS);
    cell = (struct load_cell){
        .mix = cell.mix, .sessions = 100000, .rate_per_s = 10000000, .trial = 1000};
    assert_fits(put_trial(99999, 100000, &cell, "simulated13"));
}
