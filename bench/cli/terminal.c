// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SENTENCE_SIZE 2048
#define HANGING       4

unsigned terminal_columns(int descriptor)
{
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return TERMINAL_COLUMNS;
    return size.ws_col;
}

struct terminal_abilities terminal_abilities(int descriptor)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    bool controls =
        isatty(descriptor) == 1 && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
    return (struct terminal_abilities){
        .controls = controls, .colours = controls && (no_color == NULL || no_color[0] == '\0')};
}

/* ------------------------------------------------------------------ lines */

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

const char *bar_format(double value, double most, size_t columns, char text[BAR_SIZE])
{
    assert(columns >= 1 && columns <= BAR_COLUMNS_MAX);
    text[0] = '\0';
    if (!(isfinite(value) && value > 0 && isfinite(most) && most > 0))
        return text;
    size_t length = (size_t)round(fmin(value / most, 1) * (double)columns);
    memset(text, '#', length);
    text[length] = '\0';
    return length == 0 ? strcpy(text, ".") : text;
}
