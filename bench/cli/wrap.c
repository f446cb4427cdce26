// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/wrap.h"

#include "base/printable.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define SENTENCE_SIZE 2048
#define HANGING       4

/* column: where the first word is to stand. */
static void write_words(const char *text, size_t column, size_t indent, FILE *stream)
{
    bool begins = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " "), width = printable_columns(text, length);
        if (!begins && column + 1 + width > TERMINAL_COLUMNS) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!begins) {
            fputc(' ', stream);
            column++;
        }
        begins = false;
        fprintf(stream, "%.*s", (int)length, text);
        column += width;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', stream);
}

void wrap_write(const char *text, size_t indent, FILE *stream)
{
    write_words(text, indent, indent, stream);
}

void wrap_hanging(const char *text, FILE *stream)
{
    write_words(text, 0, HANGING, stream);
}

void wrap_sentence(FILE *stream, const char *format, ...)
{
    char text[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wrap_hanging(text, stream);
}
