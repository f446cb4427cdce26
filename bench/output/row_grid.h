// SPDX-License-Identifier: Apache-2.0
/*
 * row_grid: rows of a table (measure/table.h) as a table on the terminal, by a list of its columns.
 * Layer: bench/output.
 *
 * Invariant: a number stands as in the table, but for its factor and its decimals; one that is not
 * known is GRID_UNKNOWN.
 */
#ifndef BENCH_OUTPUT_ROW_GRID_H
#define BENCH_OUTPUT_ROW_GRID_H

#include "bench/cli/grid.h"
#include "measure/table.h"

#include <stddef.h>
#include <stdio.h>

/* Where a column is shown; but for ALWAYS it depends on its rows. */
enum row_column_where {
    ROW_COLUMN_ALWAYS,
    ROW_COLUMN_DIFFERS, /* the texts of two rows differ */
    ROW_COLUMN_KNOWN,   /* a row has a value */
    ROW_COLUMN_LACKED,  /* a row has no value in the column before */
    ROW_COLUMN_NEVER
};

/* A time of the clock (TABLE_SIGNED whose unit is "ms") stands as UTC; a number is aligned to the
 * right, a text to the left. */
struct row_column {
    size_t column;     /* of the table's type */
    const char *over;  /* as in struct grid_column, like the four below */
    const char *title; /* NULL: the column's name */
    unsigned spare;
    bool below;
    enum row_column_where where;
    double factor; /* by which a number is multiplied; 0: 1 */
    int decimals;  /* of the number that stands there; 0: whole, with separators */
    size_t least;  /* the column of what an unknown number is at least, ">= 5"; 0: none */
    size_t mark;   /* the column of a flag: "~" before the numbers of rows that have it; 0: none,
                      for the first column of a table is no flag */
};

struct row_grid {
    const struct table *table;
    const size_t *rows; /* the rows to show, in this order; NULL: all */
    size_t row_count;   /* if `rows` is not NULL */
    const struct row_column *columns;
    size_t column_count;
    size_t gap; /* blanks between two columns; 0: 2 */
};

/* Writes the table for a terminal `width` columns wide: where a row does not fit, columns are left
 * out, the highest `spare` first, and a line below the table names them. Writes nothing without a
 * row. */
void row_grid_write(const struct row_grid *grid, size_t width, FILE *stream);

#endif
