// SPDX-License-Identifier: Apache-2.0
#include "bench/json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTER_MAX 4 /* bytes */

static bool is_text(const char *bytes, size_t length)
{
    json_t *text = json_stringn(bytes, length);
    json_decref(text);
    return text != NULL;
}

/* How many bytes the character takes that begins here; 0 if none does. */
static size_t character_at(const char *bytes)
{
    for (size_t length = 1; length <= CHARACTER_MAX && bytes[length - 1] != '\0'; length++) {
        if (is_text(bytes, length))
            return length;
    }
    return 0;
}

static json_t *escape(const char *bytes)
{
    size_t size = strlen(bytes) * strlen("\\xff") + 1, at = 0;
    char *escaped = malloc(size);
    if (escaped == NULL)
        return NULL;
    while (*bytes != '\0') {
        size_t length = character_at(bytes);
        if (length > 0)
            memcpy(escaped + at, bytes, length);
        else
            snprintf(escaped + at, size - at, "\\x%02x", (unsigned char)*bytes);
        at += length > 0 ? length : strlen("\\xff");
        bytes += length > 0 ? length : 1;
    }
    json_t *text = json_stringn(escaped, at);
    free(escaped);
    return text;
}

json_t *json_text(const char *bytes)
{
    json_t *text = json_string(bytes);
    return text != NULL ? text : escape(bytes);
}
