// SPDX-License-Identifier: Apache-2.0
#include "tests/support/words.h"

#include <stdbool.h>
#include <stdlib.h>

void assert_has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}

void words_unwrap(char *text)
{
    char *from, *to;
    for (from = to = text; *from != '\0'; to++) {
        bool breaks = strncmp(from, "\n    ", 5) == 0;
        *to = breaks ? ' ' : *from;
        from += breaks ? 5 : 1;
    }
    *to = '\0';
}

void assert_told(const char *text, const char *words)
{
    char *unwrapped = strdup(text);
    words_unwrap(unwrapped);
    assert_has(unwrapped, words);
    free(unwrapped);
}

size_t count_words(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}
