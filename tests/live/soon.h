// SPDX-License-Identifier: Apache-2.0
/*
 * soon: tests in which something ends, each time within two seconds.
 *
 * A test whose ends are all soon passes at once. After one that was not soon the test runs again,
 * and passes only if four of five runs were soon: what is slow in most cases fails, and one slow
 * disk access does not. A run that was slow only because the machine did not run this process
 * (lateness) says nothing, and is repeated.
 */
#ifndef TESTS_SOON_H
#define TESTS_SOON_H

#include "tests/live/lateness.h"

#define SOON_NS       (2 * NS_PER_S)
#define SOON_WANTED   4 /* runs, of one more */
#define SOON_RUNS_MAX 10

struct soon {
    void (*test)(void **state);
    int (*make)(void **state);
    int (*remove)(void **state);
};

/* The longest of all ends in this run of the test, and without the time in which this process was
 * not run. */
static uint64_t soon_longest_ns, soon_longest_run_ns;

/* What was to end since then has ended. Whether that was soon. */
static inline bool soon_ended(struct lateness_mark since)
{
    uint64_t took_ns = clock_now_ns() - since.now_ns, run_ns = lateness_run_ns(since);
    soon_longest_ns = took_ns > soon_longest_ns ? took_ns : soon_longest_ns;
    soon_longest_run_ns = run_ns > soon_longest_run_ns ? run_ns : soon_longest_run_ns;
    return took_ns < SOON_NS;
}

static inline void soon_run(void **state)
{
    const struct soon *soon = *state;
    int wanted = 1, in_time = 0, slow = 0;
    for (int runs = 1;; runs++) {
        soon_longest_ns = soon_longest_run_ns = 0;
        soon->test(state);
        in_time += soon_longest_ns < SOON_NS;
        slow += soon_longest_run_ns >= SOON_NS;
        wanted = slow > 0 ? SOON_WANTED : wanted;
        if (in_time == wanted)
            return;
        if (slow == 2 || runs == SOON_RUNS_MAX)
            fail_msg("in %d of %d runs an end took over two seconds, the last time %.1f s",
                     runs - in_time, runs, (double)soon_longest_ns / 1e9);
        assert_int_equal(soon->remove(state), 0);
        assert_int_equal(soon->make(state), 0);
    }
}

static inline struct CMUnitTest soon_test(const char *name, struct soon *soon)
{
    return (struct CMUnitTest){name, soon_run, soon->make, soon->remove, soon};
}

#define SOON_TEST(test, make, remove) soon_test(#test, &(struct soon){test, make, remove})

#endif
