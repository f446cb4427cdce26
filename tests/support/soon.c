// SPDX-License-Identifier: Apache-2.0
#include "tests/support/soon.h"

#define SOON_NS       (2 * NS_PER_S)
#define SOON_WANTED   4 /* runs, of one more */
#define SOON_RUNS_MAX 10

/* The longest of all ends in this run of the test, and without the time in which this process was
 * not run. */
static uint64_t soon_longest_ns, soon_longest_run_ns;

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

struct CMUnitTest soon_test(const char *name, struct soon *soon)
{
    return (struct CMUnitTest){name, soon_run, soon->make, soon->remove, soon};
}
