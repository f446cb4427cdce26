// SPDX-License-Identifier: Apache-2.0
/*
 * lateness: measures how long the machine did not run this process although it was ready to run. A
 * test that compares a time with a limit subtracts this time, so that a busy machine alone does not
 * fail it. A thread sleeps for a millisecond again and again, and adds up how late it wakes; less
 * than a millisecond is a timer's usual inaccuracy, and is not added.
 */
#ifndef TESTS_LATENESS_H
#define TESTS_LATENESS_H

#include "tests/support/pause.h"
#include "tests/support/test.h"

/* A moment of a test. */
struct lateness_mark {
    uint64_t now_ns, sum_ns;
};

struct lateness_mark lateness_mark(void);

/* The time since then without the time in which this process was not run. */
uint64_t lateness_run_ns(struct lateness_mark since);

#endif
