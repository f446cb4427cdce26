// SPDX-License-Identifier: Apache-2.0
/*
 * soon: tests in which something ends, each time within two seconds. On a busy machine it may take
 * longer: then the test is run again, a few times. What takes longer by itself does so each time.
 */
#ifndef TESTS_SOON_H
#define TESTS_SOON_H

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SOON_NS    (2 * NS_PER_S)
#define SOON_TRIES 5

struct soon {
    void (*test)(void **state);
    int (*make)(void **state);
    int (*remove)(void **state);
};

static uint64_t soon_longest_ns; /* of all ends in this run of the test */

/* What was to end since then has ended. Whether that was soon. */
static inline bool soon_ended(uint64_t since_ns)
{
    uint64_t took_ns = clock_now_ns() - since_ns;
    if (took_ns > soon_longest_ns)
        soon_longest_ns = took_ns;
    return took_ns < SOON_NS;
}

static inline void soon_run(void **state)
{
    const struct soon *soon = *state;
    for (int tries = 1;; tries++) {
        soon_longest_ns = 0;
        soon->test(state);
        if (soon_longest_ns < SOON_NS)
            return;
        if (tries == SOON_TRIES)
            fail_msg("each of %d times an end took over two seconds", tries);
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
