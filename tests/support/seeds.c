// SPDX-License-Identifier: Apache-2.0
#include "tests/support/seeds.h"

#include "base/text.h"

#include <stdlib.h>

static uint64_t seeds_setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t number = otherwise;
    if (text != NULL && !text_parse_number(text, 1, UINT64_MAX - 1, &number))
        fail_msg("%s=%s: not a number from 1", name, text);
    return number;
}

struct seeds seeds_of(uint64_t count)
{
    uint64_t only = seeds_setting("ZKHERD_SEED", 0);
    if (only != 0)
        return (struct seeds){only, only};
    return (struct seeds){1, seeds_setting("ZKHERD_SEEDS", count)};
}
