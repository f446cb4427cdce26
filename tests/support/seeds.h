// SPDX-License-Identifier: Apache-2.0
/*
 * seeds: the seeds of a test's schedules: from 1 to the test's count or to ZKHERD_SEEDS, or
 * ZKHERD_SEED alone. A value that is not a number fails the test.
 */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include "tests/support/test.h"

struct seeds {
    uint64_t first;
    uint64_t last;
};

struct seeds seeds_of(uint64_t count);

#endif
