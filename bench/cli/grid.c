// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/grid.h"

#include "base/printable.h"
#include "bench/cli/wrap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN   2 /* columns between two cells */
#define INDENT    7 /* of what is below */
#define CELL_SIZE 1200

void grid_init(struct grid *grid, const struct grid_column *columns, size_t column_count)
{
    assert(column_count > 0 && column_count <= GRID_COLUMNS_MAX);
    *grid = (struct grid){.columns = columns, .column_count = column_count};
}

void grid_deinit(struct grid *grid)
{
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        free(grid->cells[i]);
    free(grid->cells);
    *grid = (struct grid){0};
}

static bool make_room(struct grid *grid)
{
    if (grid->row_count < grid->capacity)
        return true;
    size_t capacity = grid->capacity == 0 ? 64 : 2 * grid->capacity;
    void *larger = realloc(grid->cells, capacity * grid->column_count * sizeof *grid->cells);
    if (larger == NULL)
        return false;
    grid->cells = larger;
    grid->capacity = capacity;
    return true;
}

void grid_add(struct grid *grid, const char *const *texts)
{
    char text[CELL_SIZE];
    char *row[GRID_COLUMNS_MAX] = {NULL};
    bool good = make_room(grid);
    for (size_t i = 0; good && i < grid->column_count; i++) {
        row[i] = strdup(printable_text(texts[i], text, sizeof text));
        good = row[i] != NULL;
    }
    if (good)
        memcpy(grid->cells + grid->row_count++ * grid->column_count, row,
               grid->column_count * sizeof *row);
    for (size_t i = 0; !good && i < grid->column_count; i++)
        free(row[i]);
    grid->out_of_memory = grid->out_of_memory || !good;
}

/* ------------------------------------------------------------------ writing */

static size_t columns_of(const char *text)
{
    return printable_columns(text, strlen(text));
}

static const char *cell(const struct grid *grid, size_t row, size_t column)
{
    return grid->cells[row * grid->column_count + column];
}

/* The widths of the columns, and of all of them beside each other. */
static size_t measure(const struct grid *grid, size_t *widths)
{
    size_t total = 0;
    for (size_t column = 0; column < grid->column_count; column++) {
        widths[column] = columns_of(grid->columns[column].title);
        for (size_t row = 0; row < grid->row_count; row++) {
            size_t width = columns_of(cell(grid, row, column));
            widths[column] = width > widths[column] ? width : widths[column];
        }
        total += widths[column] + (column > 0 ? BETWEEN : 0);
    }
    return total;
}

static bool is_beside(const struct grid *grid, size_t column, bool fits)
{
    return fits || !grid->columns[column].below;
}

/* Blanks are written before what follows them: a line has none at its
 * end. */
static void write_line(const struct grid *grid, const char *const *texts, const size_t *widths,
                       bool fits, FILE *stream)
{
    size_t blanks = 0;
    for (size_t column = 0; column < grid->column_count; column++) {
        if (!is_beside(grid, column, fits))
            continue;
        size_t left = widths[column] - columns_of(texts[column]);
        bool right = grid->columns[column].right;
        fprintf(stream, "%*s%s", (int)(blanks + (right ? left : 0)), "", texts[column]);
        blanks = BETWEEN + (right ? 0 : left);
    }
    fputc('\n', stream);
}

static void write_below(const struct grid *grid, size_t row, FILE *stream)
{
    char text[GRID_COLUMNS_MAX * (CELL_SIZE + 32)];
    size_t length = 0;
    for (size_t column = 0; column < grid->column_count; column++) {
        const char *what = cell(grid, row, column);
        if (!grid->columns[column].below || what[0] == '\0' || strcmp(what, GRID_UNKNOWN) == 0)
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s",
                                   length > 0 ? ", " : "", grid->columns[column].title, what);
    }
    if (length == 0)
        return;
    fprintf(stream, "%*s", INDENT, "");
    wrap_write(text, INDENT, stream);
}

enum error_kind grid_write(const struct grid *grid, unsigned width, FILE *stream,
                           struct error *error)
{
    size_t widths[GRID_COLUMNS_MAX];
    const char *titles[GRID_COLUMNS_MAX];
    if (grid->out_of_memory)
        return error_raise(error, ERROR_NO_MEMORY, 0, "the table", "%s", "");
    bool fits = measure(grid, widths) <= width;
    for (size_t column = 0; column < grid->column_count; column++)
        titles[column] = grid->columns[column].title;
    if (grid->row_count > 0)
        write_line(grid, titles, widths, fits, stream);
    for (size_t row = 0; row < grid->row_count; row++) {
        write_line(grid, (const char *const *)grid->cells + row * grid->column_count, widths, fits,
                   stream);
        if (!fits)
            write_below(grid, row, stream);
    }
    return ERROR_NONE;
}
