// SPDX-License-Identifier: Apache-2.0
#include "tests/support/soon.h"

#include <stdio.h>
#include <string.h>

#define SOON_NS       (2 * NS_PER_S)
#define SOON_WANTED   3 /* runs in time */
#define SOON_SLOW     2 /* runs that fail the test */
#define SOON_RUNS_MAX 10

/* The longest end in this run of the test, and the same without the time in which this process was
 * not run. */
static uint64_t soon_longest_ns, soon_longest_run_ns;

static void soon_record(struct soon_tally *tally, uint64_t took_ns, uint64_t run_ns)
{
    size_t length = strlen(tally->tries_s);
    bool is_slow = run_ns >= SOON_NS, is_in_time = took_ns < SOON_NS;
    tally->in_time += is_in_time;
    tally->slow += is_slow;
    snprintf(tally->tries_s + length, sizeof tally->tries_s - length, " %.2f%s",
             (double)took_ns / 1e9, is_slow || is_in_time ? "" : " (not run)");
}

bool soon_ended(struct lateness_mark since)
{
    uint64_t took_ns = clock_now_ns() - since.now_ns, run_ns = lateness_run_ns(since);
    soon_longest_ns = took_ns > soon_longest_ns ? took_ns : soon_longest_ns;
    soon_longest_run_ns = run_ns > soon_longest_run_ns ? run_ns : soon_longest_run_ns;
    return took_ns < SOON_NS;
}

static void soon_run(void **state)
{
    const struct soon *soon = *state;
    struct soon_tally tally = {0};
    for (int runs = 1;; runs++) {
        soon_longest_ns = soon_longest_run_ns = 0;
        soon->test(state);
        assert_true(soon_longest_ns > 0);
        soon_record(&tally, soon_longest_ns, soon_longest_run_ns);
        if (tally.in_time == SOON_WANTED)
            break;
        if (tally.slow == SOON_SLOW || runs == SOON_RUNS_MAX)
            fail_msg("ends are to take two seconds at most:%s s", tally.tries_s);
        assert_int_equal(soon->remove(state), 0);
        assert_int_equal(soon->make(state), 0);
    }
    print_message("ends:%s s\n", tally.tries_s);
}

struct CMUnitTest soon_test(const char *name, struct soon *soon)
{
    return (struct CMUnitTest){name, soon_run, soon->make, soon->remove, soon};
}

void soon_add(struct soon_tally *tally, struct lateness_mark since)
{
    soon_record(tally, clock_now_ns() - since.now_ns, lateness_run_ns(since));
}

void soon_assert_most(const struct soon_tally *tally)
{
    if (tally->in_time == 0 || 4 * tally->slow > tally->in_time)
        fail_msg("ends are to take two seconds at most, four of five:%s s", tally->tries_s);
    print_message("ends:%s s\n", tally->tries_s);
}
