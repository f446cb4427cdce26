// SPDX-License-Identifier: Apache-2.0
/*
 * soon: tests in which something must end within two seconds, in most of several tries.
 *
 * One try proves little: a slow disk access makes a good one slow, and a bad program is quick now
 * and then. All tries are recorded and printed. A try that was slow only because the machine did
 * not run this process (lateness) says nothing, and does not count.
 */
#ifndef TESTS_SOON_H
#define TESTS_SOON_H

#include "tests/support/lateness.h"
#include "tests/support/test.h"

/* ------------------------------------------------------------------ a test of its own */

struct soon {
    void (*test)(void **state);
    int (*make)(void **state);
    int (*remove)(void **state);
};

/* What was to end since then has ended. Whether that was soon. In another test than a SOON_TEST
 * nothing is recorded. */
bool soon_ended(struct lateness_mark since);

struct CMUnitTest soon_test(const char *name, struct soon *soon);

/* Runs the test, which calls soon_ended, until all its ends were soon in three runs. Fails when
 * they were not in a second run. */
#define SOON_TEST(name, make, remove)                                                              \
    static struct soon soon_##name;                                                                \
    TEST_AS(name, (soon_##name = (struct soon){name, make, remove}, soon_test(#name, &soon_##name)))

/* ------------------------------------------------------------------ the tests of a program */

struct soon_tally {
    unsigned in_time, slow;
    char tries_s[400]; /* how long each has taken */
};

/* Records what soon_ended is called for. */
void soon_add(struct soon_tally *tally, struct lateness_mark since);

/* Fails unless four of five ends were soon. */
void soon_assert_most(const struct soon_tally *tally);

#endif
