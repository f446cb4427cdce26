// SPDX-License-Identifier: Apache-2.0
/*
 * seeds: which schedules a test goes through: from 1 to as many as it likes, or ZKHERD_SEEDS=N, or
 * the one of ZKHERD_SEED=N alone. What is no number fails the test: it would replay another one.
 */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct seeds {
    uint64_t first;
    uint64_t last;
};

struct seeds seeds_of(uint64_t count);

#endif
