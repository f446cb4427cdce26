// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/columns.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void columns_init(struct columns *columns, const struct column *list, size_t count)
{
    *columns = (struct columns){.list = list, .count = count};
}

void columns_deinit(struct columns *columns)
{
    free(columns->cells);
    *columns = (struct columns){0};
}

void columns_put(struct columns *columns, const char *format, ...)
{
    if (columns->used == columns->room) {
        size_t room = columns->room * 2 + columns->count;
        void *cells = realloc(columns->cells, room * sizeof *columns->cells);
        columns->lacks_memory = columns->lacks_memory || cells == NULL;
        if (cells == NULL)
            return;
        columns->cells = cells;
        columns->room = room;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(columns->cells[columns->used++], COLUMNS_CELL_SIZE, format, arguments);
    va_end(arguments);
}

static size_t larger(size_t width, const char *text)
{
    size_t length = strlen(text);
    return length > width ? length : width;
}

static size_t width_of(const struct columns *columns, size_t column)
{
    size_t width = larger(strlen(columns->list[column].over), columns->list[column].title);
    for (size_t i = column; i < columns->used; i += columns->count)
        width = larger(width, columns->cells[i]);
    return width;
}

/* A blank between two columns. */
size_t columns_width(const struct columns *columns)
{
    size_t width = 0;
    for (size_t i = 0; i < columns->count; i++) {
        if (!columns->hidden[i])
            width += width_of(columns, i) + (width > 0 ? 1 : 0);
    }
    return width;
}

/* The column to leave out next; their number if there is none. */
static size_t find_spare(const struct columns *columns, unsigned least)
{
    size_t found = columns->count;
    unsigned most = least > 0 ? least - 1 : 0;
    for (size_t i = 0; i < columns->count; i++) {
        if (!columns->hidden[i] && columns->list[i].spare > most) {
            most = columns->list[i].spare;
            found = i;
        }
    }
    return found;
}

bool columns_fit(struct columns *columns, size_t width, unsigned least)
{
    while (columns_width(columns) > width) {
        size_t spare = find_spare(columns, least);
        if (spare == columns->count)
            return false;
        columns->hidden[spare] = true;
    }
    return true;
}

/* ------------------------------------------------------------------ writing */

/* The text of a column in this line: one of the two of titles, or of the rows. */
typedef const char *text_function(const struct columns *columns, size_t column, size_t row);

static const char *over_of(const struct columns *columns, size_t column, size_t row)
{
    (void)row;
    return columns->list[column].over;
}

static const char *title_of(const struct columns *columns, size_t column, size_t row)
{
    (void)row;
    return columns->list[column].title;
}

static const char *cell_of(const struct columns *columns, size_t column, size_t row)
{
    return columns->cells[row * columns->count + column];
}

/* Without the blanks at its end. */
static size_t length_of(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

/* Blanks wait until something follows them. */
static void write_line(const struct columns *columns, const size_t *widths, text_function *text_of,
                       size_t row, FILE *stream)
{
    size_t blanks = 0;
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->hidden[i])
            continue;
        const char *text = text_of(columns, i, row);
        size_t length = length_of(text), rest = widths[i] - strlen(text);
        blanks += columns->list[i].left ? 0 : rest;
        if (length > 0) {
            fprintf(stream, "%*s%.*s", (int)blanks, "", (int)length, text);
            blanks = 0;
        }
        blanks += 1 + strlen(text) - length + (columns->list[i].left ? rest : 0);
    }
    fputc('\n', stream);
}

static bool has_text_over(const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (!columns->hidden[i] && columns->list[i].over[0] != '\0')
            return true;
    }
    return false;
}

enum error_kind columns_write(const struct columns *columns, FILE *stream, struct error *error)
{
    size_t widths[COLUMNS_MAX];
    if (columns->lacks_memory)
        return error_raise(error, ERROR_NO_MEMORY, 0, "the table", "%s", "");
    for (size_t i = 0; i < columns->count; i++)
        widths[i] = width_of(columns, i);
    if (has_text_over(columns))
        write_line(columns, widths, over_of, 0, stream);
    write_line(columns, widths, title_of, 0, stream);
    for (size_t row = 0; row < columns->used / columns->count; row++)
        write_line(columns, widths, cell_of, row, stream);
    return ERROR_NONE;
}
