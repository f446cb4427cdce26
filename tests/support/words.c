// SPDX-License-Identifier: Apache-2.0
#include "tests/support/words.h"

void assert_has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}
