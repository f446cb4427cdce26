// SPDX-License-Identifier: Apache-2.0
#include "bench/wrap.h"

#include <string.h>

#define COLUMNS 80

/* The columns of so many bytes: a character of UTF-8 has one byte that is none of its later ones.
 */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void wrap_write(const char *text, size_t indent, FILE *stream)
{
    size_t column = indent;
    while (*text != '\0') {
        size_t length = strcspn(text, " "), width = width_of(text, length);
        if (column > indent && column + 1 + width > COLUMNS) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", (int)length, text);
        column += width;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', stream);
}
