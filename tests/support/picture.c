// SPDX-License-Identifier: Apache-2.0
#include "tests/support/picture.h"

bool picture_next(const char **at, struct picture_text *text)
{
    static const char place[] = "translate(", begin[] = "<text>", end[] = "</text>";
    const char *from = strstr(*at, begin);
    if (from == NULL)
        return false;
    const char *placed = from;
    while (placed > *at && strncmp(placed, place, strlen(place)) != 0)
        placed--;
    assert_int_equal(sscanf(placed, "translate(%lf,%lf)", &text->x, &text->y), 2);
    from += strlen(begin);
    const char *to = strstr(from, end);
    assert_non_null(to);
    snprintf(text->words, sizeof text->words, "%.*s", (int)(to - from), from);
    *at = to;
    return true;
}

size_t picture_count(const char *picture, const char *words)
{
    struct picture_text text;
    size_t count = 0;
    while (picture_next(&picture, &text))
        count += strcmp(text.words, words) == 0;
    return count;
}

struct picture_text picture_find(const char *picture, const char *words)
{
    struct picture_text text;
    const char *at = picture;
    while (picture_next(&at, &text)) {
        if (strncmp(text.words, words, strlen(words)) == 0)
            return text;
    }
    fail_msg("the picture lacks '%s'", words);
    return text;
}

void picture_assert_lacks(const char *picture, const char *words)
{
    struct picture_text text;
    while (picture_next(&picture, &text)) {
        if (strcasestr(text.words, words) != NULL)
            fail_msg("the picture says '%s'", text.words);
    }
}
