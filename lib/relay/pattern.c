// SPDX-License-Identifier: Apache-2.0
#include "relay/pattern.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCE_DIGITS 10 /* "%010d", PrepRequestProcessor */
#define HEX_GUID        32
#define HEX_SESSION     16
#define DECIMAL_SESSION 19 /* of a number of 64 bits, at most */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t run(const char *text, size_t length, bool (*is)(char c))
{
    size_t count = 0;
    while (count < length && is(text[count]))
        count++;
    return count;
}

/* The length of a GUID that begins here; 0: none does. */
static size_t guid(const char *text, size_t length)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t at = 0;
    if (run(text, length, is_hex) == HEX_GUID)
        return HEX_GUID;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (i > 0 && (at == length || text[at++] != '-'))
            return 0;
        if (run(text + at, length - at, is_hex) != groups[i])
            return 0;
        at += groups[i];
    }
    return at;
}

/* Whether the name goes on behind so many characters. */
static bool goes_on(const char *text, size_t length, size_t count)
{
    return count < length && text[count] != '/';
}

/* What begins here, where no digit is before, and how long it is; NULL: an ordinary character. */
static const char *find(const char *text, size_t length, size_t *found)
{
    size_t hex = run(text, length, is_hex), digits = run(text, length, is_digit);
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
        bool begins = !in_run || (is_digit(path[at]) && !is_digit(path[at - 1]));
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

/* ------------------------------------------------------------------ pairs */

/* FNV-1a. */
static uint32_t hash(unsigned number, const char *text)
{
    uint32_t hash = 2166136261u ^ number;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static size_t find_pair(struct patterns *patterns, unsigned number, const char *text)
{
    uint32_t at = hash(number, text) % PATTERNS_SLOTS;
    for (; patterns->slots[at] != 0; at = (at + 1) % PATTERNS_SLOTS) {
        const struct pattern *pattern = &patterns->list[patterns->slots[at] - 1];
        if (pattern->number == number && strcmp(pattern->text, text) == 0)
            return patterns->slots[at] - 1;
    }
    if (patterns->count >= PATTERNS_MOST && strcmp(text, PATTERNS_OTHER) != 0)
        return find_pair(patterns, number, PATTERNS_OTHER);
    patterns->list = memory_grow(patterns->list, patterns->count, sizeof *patterns->list);
    struct pattern *pattern = &patterns->list[patterns->count++];
    pattern->number = number;
    memcpy(pattern->text, text, strlen(text) + 1);
    patterns->slots[at] = (uint32_t)patterns->count;
    return patterns->count - 1;
}

size_t patterns_find(struct patterns *patterns, unsigned number, const char *path, size_t length)
{
    char text[PATTERN_SIZE];
    pattern_fold(path, length, text);
    return find_pair(patterns, number, text);
}

void patterns_deinit(struct patterns *patterns)
{
    free(patterns->list);
    *patterns = (struct patterns){0};
}
