// SPDX-License-Identifier: Apache-2.0
#include "bench/output/json_text.h"

#include "base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *escape(const char *bytes, size_t left)
{
    size_t size = left * strlen("\\xff") + 1, at = 0;
    uint32_t ignored;
    char *escaped = malloc(size);
    if (escaped == NULL)
        return NULL;
    while (left > 0) {
        size_t length = printable_decode(bytes, left, &ignored);
        if (length > 0)
            memcpy(escaped + at, bytes, length);
        else
            snprintf(escaped + at, size - at, "\\x%02x", (unsigned char)*bytes);
        at += length > 0 ? length : strlen("\\xff");
        bytes += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    json_t *text = json_stringn(escaped, at);
    free(escaped);
    return text;
}

json_t *json_text(const char *bytes)
{
    return json_text_bytes(bytes, strlen(bytes));
}

json_t *json_text_bytes(const char *bytes, size_t length)
{
    json_t *text = json_stringn(bytes, length);
    return text != NULL ? text : escape(bytes, length);
}
