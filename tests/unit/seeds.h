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

#include "base/text.h"

#include <stdlib.h>

struct seeds {
    uint64_t first;
    uint64_t last;
};

static inline uint64_t seeds_setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t number = otherwise;
    if (text != NULL && !text_parse_number(text, 1, UINT64_MAX - 1, &number))
        fail_msg("%s=%s: not a number from 1", name, text);
    return number;
}

static inline struct seeds seeds_of(uint64_t count)
{
    uint64_t only = seeds_setting("ZKHERD_SEED", 0);
    if (only != 0)
        return (struct seeds){only, only};
    return (struct seeds){1, seeds_setting("ZKHERD_SEEDS", count)};
}

#endif
