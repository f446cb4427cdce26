// SPDX-License-Identifier: Apache-2.0
#include "relay/pattern.h"

#include "base/memory.h"

#include <ctype.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCE_DIGITS 10 /* "%010d", PrepRequestProcessor */
#define HEX_GUID        32
#define HEX_SESSION     16
#define DECIMAL_SESSION 19 /* of a number of 64 bits, at most */

static bool is_hex(char c)
{
    return isxdigit((unsigned char)c) != 0;
}

static size_t run(const char *text, size_t length, int (*is)(int c))
{
    size_t count = 0;
    while (count < length && is((unsigned char)text[count]) != 0)
        count++;
    return count;
}

/* The length of a GUID that begins here; 0: none does. */
static size_t guid(const char *text, size_t length)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    size_t at = 0;
    if (run(text, length, isxdigit) == HEX_GUID)
        return HEX_GUID;
    while (at < length && form[at] != '\0' &&
           (form[at] == 'x' ? is_hex(text[at]) : text[at] == '-'))
        at++;
    return form[at] != '\0' || (at < length && is_hex(text[at])) ? 0 : at;
}

/* Whether the name goes on behind `count` characters. */
static bool goes_on(const char *text, size_t length, size_t count)
{
    return count < length && text[count] != '/';
}

/* What begins here, where no digit is before, and how long it is; NULL: an ordinary character. */
static const char *find(const char *text, size_t length, size_t *found)
{
    size_t hex = run(text, length, isxdigit), digits = run(text, length, isdigit);
    *found = guid(text, length);
    if (*found > 0)
        return "<guid>";
    *found = hex;
    if (hex == HEX_SESSION && goes_on(text, length, hex) && (digits < hex || text[0] == '0'))
        return "<session>";
    *found = digits;
    if (digits >= HEX_SESSION && digits <= DECIMAL_SESSION && goes_on(text, length, digits))
        return "<session>";
    return digits >= SEQUENCE_DIGITS && digits == hex ? "<n>" : NULL;
}

size_t pattern_fold(const char *path, size_t length, char pattern[PATTERN_SIZE])
{
    size_t to = 0, found;
    bool in_run = false; /* of hexadecimal digits: nothing begins within it but a decimal number */
    for (size_t at = 0; at < length && to + sizeof "<session>" < PATTERN_SIZE;) {
        bool begins = !in_run || (isdigit((unsigned char)path[at]) != 0 &&
                                  isdigit((unsigned char)path[at - 1]) == 0);
        const char *sign = begins && is_hex(path[at]) ? find(path + at, length - at, &found) : NULL;
        in_run = is_hex(path[at]) && sign == NULL;
        if (sign != NULL) {
            memcpy(pattern + to, sign, strlen(sign));
            to += strlen(sign);
            at += found;
        } else
            pattern[to++] = path[at++];
    }
    pattern[to] = '\0';
    return to;
}

/* ------------------------------------------------------------------ elements */

static int compare(const void *a, const void *b)
{
    const struct pattern *one = a, *other = b;
    return one->number != other->number ? (one->number < other->number ? -1 : 1)
                                        : strcmp(one->text, other->text);
}

void *patterns_find_or_add(struct patterns *patterns, unsigned number, const char *path,
                           size_t length, size_t size)
{
    struct pattern wanted = {.number = number}, *added, **found;
    pattern_fold(path, length, wanted.text);
    found = tfind(&wanted, &patterns->tree, compare);
    if (found == NULL && patterns->count >= PATTERNS_MOST) {
        strcpy(wanted.text, PATTERNS_OTHER);
        found = tfind(&wanted, &patterns->tree, compare);
    }
    if (found != NULL)
        return *found;
    added = memory_new(1, size);
    *added = wanted;
    patterns->list = memory_grow(patterns->list, patterns->count, sizeof(void *));
    patterns->list[patterns->count++] = added;
    (void)memory_or_end(tsearch(added, &patterns->tree, compare));
    return added;
}

void patterns_deinit(struct patterns *patterns)
{
    tdestroy(patterns->tree, free);
    free(patterns->list);
    *patterns = (struct patterns){0};
}
