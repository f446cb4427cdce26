// SPDX-License-Identifier: Apache-2.0
#include "bench/page/html.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define TEXT_SIZE 2048
/* As much as a character may become: \U0010ffff. */
#define SHOWN_SIZE 16

static const char *entity(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *stream, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        char shown[SHOWN_SIZE];
        uint32_t code;
        size_t length = printable_decode(text, left, &code);
        if (length == 0)
            length = 1;
        const char *escaped = entity(text[0]);
        fputs(escaped != NULL ? escaped : printable_bytes(text, length, shown, sizeof shown),
              stream);
        text += length;
        left -= length;
    }
}

__attribute__((format(printf, 2, 0))) static void put_format(FILE *stream, const char *format,
                                                             va_list arguments)
{
    char text[TEXT_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    html_text(stream, text);
}

void html_format(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_format(stream, format, arguments);
    va_end(arguments);
}

void html_element(FILE *stream, const char *tag, const char *format, ...)
{
    va_list arguments;
    fprintf(stream, "<%s>", tag);
    va_start(arguments, format);
    put_format(stream, format, arguments);
    va_end(arguments);
    fprintf(stream, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}
