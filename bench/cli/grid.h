// SPDX-License-Identifier: Apache-2.0
/*
 * grid: a table of text whose columns are as wide as their widest text. Layer: bench/cli.
 *
 * For a terminal that is too narrow, a table has two remedies: columns are left out, the least
 * important first (grid_fit), or columns go below the others, each text behind its title
 * (grid_write).
 *
 * Invariant: the texts of a column are aligned, and what is written is printable
 * (base/text.h), whatever the cells were.
 */
#ifndef BENCH_CLI_GRID_H
#define BENCH_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 16
#define GRID_CELL_SIZE   1200 /* a longer text is cut */
#define GRID_UNKNOWN     "-"  /* the text of a cell whose value is not known */

struct grid_column {
    const char *over; /* a line above the title; NULL: none */
    const char *title;
    bool right;     /* aligned to the right: numbers */
    unsigned spare; /* 0: never left out; else the column with the highest is left out first */
    bool below;     /* goes below the others in a table that is too wide */
};

struct grid {
    const struct grid_column *columns; /* the caller's */
    size_t column_count;
    size_t gap; /* blanks between two columns */
    bool hidden[GRID_COLUMNS_MAX];
    char **cells; /* row by row */
    size_t used;
};

void grid_init(struct grid *grid, const struct grid_column *columns, size_t column_count,
               size_t gap);
void grid_deinit(struct grid *grid);

/* Appends a cell: those of a row from left to right, then those of the next row. Any bytes. */
void grid_add(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether every cell of the column is this text, as in a grid without a row. */
bool grid_all_are(const struct grid *grid, size_t column, const char *text);

/* Hides columns that may be left out, until a row fits in this width or there are no more. */
void grid_fit(struct grid *grid, size_t width);

/* Writes the titles and the rows, for a terminal `width` columns wide, without blanks at the end of
 * a line. Writes nothing if there is no row. */
void grid_write(const struct grid *grid, size_t width, FILE *stream);

#endif
