// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/grid.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 7 /* of what is below */

void grid_init(struct grid *grid, const struct grid_column *columns, size_t column_count,
               size_t gap)
{
    assert(column_count > 0 && column_count <= GRID_COLUMNS_MAX);
    *grid = (struct grid){.columns = columns, .column_count = column_count, .gap = gap};
}

void grid_deinit(struct grid *grid)
{
    for (size_t i = 0; i < grid->used; i++)
        free(grid->cells[i]);
    free(grid->cells);
    *grid = (struct grid){0};
}

void grid_add(struct grid *grid, const char *format, ...)
{
    char text[GRID_CELL_SIZE], printable[GRID_CELL_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    grid->cells = memory_grow(grid->cells, grid->used, sizeof *grid->cells);
    grid->cells[grid->used++] = memory_text(printable_text(text, printable, sizeof printable));
}

/* ------------------------------------------------------------------ widths */

static size_t columns_of(const char *text)
{
    return printable_columns(text, strlen(text));
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t width_of(const struct grid *grid, size_t column)
{
    const struct grid_column *head = &grid->columns[column];
    size_t width =
        greater(columns_of(head->title), columns_of(head->over != NULL ? head->over : ""));
    for (size_t i = column; i < grid->used; i += grid->column_count)
        width = greater(width, columns_of(grid->cells[i]));
    return width;
}

/* The width of a row, without the hidden columns. */
static size_t row_width(const struct grid *grid)
{
    size_t width = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        if (!grid->hidden[i])
            width += width_of(grid, i) + (width > 0 ? grid->gap : 0);
    }
    return width;
}

bool grid_all_are(const struct grid *grid, size_t column, const char *text)
{
    size_t i = column;
    while (i < grid->used && strcmp(grid->cells[i], text) == 0)
        i += grid->column_count;
    return i >= grid->used;
}

void grid_fit(struct grid *grid, size_t width)
{
    while (row_width(grid) > width) {
        size_t found = grid->column_count;
        unsigned most = 0;
        for (size_t i = 0; i < grid->column_count; i++) {
            if (!grid->hidden[i] && grid->columns[i].spare > most) {
                most = grid->columns[i].spare;
                found = i;
            }
        }
        if (found == grid->column_count)
            return;
        grid->hidden[found] = true;
    }
}

/* ------------------------------------------------------------------ writing */

/* Writes a line. A column of width 0 is left out. Blanks are written before what follows them, so
 * it has none at its end. */
static void write_line(const struct grid *grid, const char *const *texts, const size_t *widths,
                       FILE *stream)
{
    size_t blanks = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        size_t whole = strlen(texts[i]), length = whole;
        if (widths[i] == 0)
            continue;
        size_t rest = widths[i] - columns_of(texts[i]);
        while (length > 0 && texts[i][length - 1] == ' ')
            length--;
        blanks += grid->columns[i].right ? rest : 0;
        if (length > 0) {
            fprintf(stream, "%*s%.*s", (int)blanks, "", (int)length, texts[i]);
            blanks = 0;
        }
        blanks += grid->gap + whole - length + (grid->columns[i].right ? 0 : rest);
    }
    fputc('\n', stream);
}

static void write_below(const struct grid *grid, const char *const *texts, FILE *stream)
{
    struct growing_text below = {0};
    for (size_t i = 0; i < grid->column_count; i++) {
        if (grid->columns[i].below && texts[i][0] != '\0' && strcmp(texts[i], GRID_UNKNOWN) != 0)
            growing_text_add(&below, "%s%s %s", below.length > 0 ? ", " : "",
                             grid->columns[i].title, texts[i]);
    }
    if (below.length > 0) {
        fprintf(stream, "%*s", INDENT, "");
        wrap_write(below.text, INDENT, stream);
    }
    free(below.text);
}

void grid_write(const struct grid *grid, size_t width, FILE *stream)
{
    const char *over[GRID_COLUMNS_MAX], *titles[GRID_COLUMNS_MAX];
    size_t widths[GRID_COLUMNS_MAX];
    bool fits = row_width(grid) <= width, has_over = false;
    for (size_t i = 0; i < grid->column_count; i++) {
        const struct grid_column *column = &grid->columns[i];
        bool shown = !grid->hidden[i] && (fits || !column->below);
        widths[i] = shown ? width_of(grid, i) : 0;
        over[i] = column->over != NULL ? column->over : "";
        titles[i] = column->title;
        has_over = has_over || (!grid->hidden[i] && over[i][0] != '\0');
    }
    if (grid->used > 0 && has_over)
        write_line(grid, over, widths, stream);
    if (grid->used > 0)
        write_line(grid, titles, widths, stream);
    for (size_t i = 0; i < grid->used; i += grid->column_count) {
        const char *const *texts = (const char *const *)grid->cells + i;
        write_line(grid, texts, widths, stream);
        if (!fits)
            write_below(grid, texts, stream);
    }
}
