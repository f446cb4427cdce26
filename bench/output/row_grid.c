// SPDX-License-Identifier: Apache-2.0
#include "bench/output/row_grid.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define GAP 2 /* blanks between two columns */

static bool is_time(const struct table_column *column)
{
    return column->kind == TABLE_SIGNED && strcmp(column->unit, "ms") == 0;
}

static void add_number(struct grid *grid, const struct row_column *column,
                       const struct table_value *row)
{
    char text[32];
    double factor = column->factor != 0 ? column->factor : 1,
           value = table_number(&row[column->column]) * factor,
           least = column->least != 0 ? table_number(&row[column->least]) * factor : NAN;
    const char *mark = column->mark != 0 && row[column->mark].flag ? "~" : "";
    if (!isfinite(value) && isfinite(least)) {
        grid_add(grid, ">= %.*f", column->decimals, least);
    } else if (!isfinite(value)) {
        grid_add(grid, GRID_UNKNOWN);
    } else if (column->decimals > 0) {
        grid_add(grid, "%s%.*f", mark, column->decimals, value);
    } else {
        grid_add(grid, "%s%s%s", mark, value < 0 ? "-" : "",
                 text_format_count((uint64_t)(fabs(value) + 0.5), text, sizeof text));
    }
}

static void add_cell(struct grid *grid, const struct row_column *column,
                     const struct table_column *declared, const struct table_value *row)
{
    const struct table_value *value = &row[column->column];
    char utc[32];
    if (value->kind == TABLE_TEXT) {
        grid_add(grid, "%s", value->text);
    } else if (value->kind == TABLE_FLAG) {
        grid_add(grid, "%s", value->flag ? "yes" : "no");
    } else if (value->kind == TABLE_SIGNED && is_time(declared)) {
        clock_format_utc((uint64_t)value->number * NS_PER_MS, 0, utc, sizeof utc);
        grid_add(grid, "%s", utc);
    } else {
        add_number(grid, column, row);
    }
}

static bool is_shown(const struct row_grid *of, size_t column, const struct grid *grid)
{
    bool known = false, lacked = false;
    for (size_t i = column; i < grid->used; i += of->column_count) {
        known = known || strcmp(grid->cells[i], GRID_UNKNOWN) != 0;
        lacked = lacked || (i > 0 && strcmp(grid->cells[i - 1], GRID_UNKNOWN) == 0);
    }
    enum row_column_where where = of->columns[column].where;
    bool differs = grid->used > 0 && !grid_all_are(grid, column, grid->cells[column]);
    return where == ROW_COLUMN_ALWAYS || (where == ROW_COLUMN_DIFFERS && differs) ||
           (where == ROW_COLUMN_KNOWN && known) || (where == ROW_COLUMN_LACKED && known && lacked);
}

static void fill(const struct row_grid *of, struct grid *grid)
{
    const struct table *table = of->table;
    size_t count = of->rows != NULL ? of->row_count : table->rows;
    for (size_t i = 0; i < count; i++) {
        const struct table_value *row = table_row(table, of->rows != NULL ? of->rows[i] : i);
        for (size_t j = 0; j < of->column_count; j++)
            add_cell(grid, &of->columns[j], &table->type->columns[of->columns[j].column], row);
    }
    for (size_t j = 0; j < of->column_count; j++)
        grid->hidden[j] = !is_shown(of, j, grid);
}

/* The columns that the width has cost. */
static void write_cost(const struct row_grid *of, const bool *at_first, const struct grid *grid,
                       FILE *stream)
{
    const char *between = "no room for ";
    for (size_t i = 0; i < of->column_count; i++) {
        if (!grid->hidden[i] || at_first[i])
            continue;
        fprintf(stream, "%s%s", between, grid->columns[i].title);
        between = ", ";
    }
    if (between[0] == ',')
        fprintf(stream, ": see %s\n", of->table->type->file);
}

void row_grid_write(const struct row_grid *of, size_t width, FILE *stream)
{
    struct grid_column columns[GRID_COLUMNS_MAX];
    bool hidden[GRID_COLUMNS_MAX]; /* whatever the width */
    struct grid grid;
    for (size_t i = 0; i < of->column_count; i++) {
        const struct row_column *column = &of->columns[i];
        const struct table_column *declared = &of->table->type->columns[column->column];
        columns[i] = (struct grid_column){
            .over = column->over,
            .title = column->title != NULL ? column->title : declared->name,
            .right = declared->kind == TABLE_COUNT || declared->kind == TABLE_REAL ||
                     (declared->kind == TABLE_SIGNED && !is_time(declared)),
            .spare = column->spare,
            .below = column->below};
    }
    grid_init(&grid, columns, of->column_count, of->gap != 0 ? of->gap : GAP);
    fill(of, &grid);
    memcpy(hidden, grid.hidden, sizeof hidden);
    grid_fit(&grid, width);
    grid_write(&grid, width, stream);
    if (grid.used > 0)
        write_cost(of, hidden, &grid, stream);
    grid_deinit(&grid);
}
