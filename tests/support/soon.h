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

#include "tests/support/lateness.h"

struct soon {
    void (*test)(void **state);
    int (*make)(void **state);
    int (*remove)(void **state);
};

/* What was to end since then has ended. Whether that was soon. */
bool soon_ended(struct lateness_mark since);

struct CMUnitTest soon_test(const char *name, struct soon *soon);

#define SOON_TEST(test, make, remove) soon_test(#test, &(struct soon){test, make, remove})

#endif
