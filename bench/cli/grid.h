// SPDX-License-Identifier: Apache-2.0
/*
 * grid: a table of text whose columns are as wide as what is in them. Layer: bench/cli.
 *
 * A row that is too wide for the terminal takes more lines: some of its columns go below the
 * others, each behind its title.
 *
 * Invariant: what is written is printable (base/printable.h), whatever the cells were.
 */
#ifndef BENCH_CLI_GRID_H
#define BENCH_CLI_GRID_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 10
/* What is written for what is not known. */
#define GRID_UNKNOWN "-"

struct grid_column {
    const char *title;
    bool right; /* its text ends in one column */
    bool below; /* in a table that is too wide it is below the others, if it is known */
};

struct grid {
    const struct grid_column *columns; /* the caller's */
    size_t column_count;
    char **cells; /* column_count for each row */
    size_t row_count, capacity;
    bool out_of_memory; /* rows are missing */
};

void grid_init(struct grid *grid, const struct grid_column *columns, size_t column_count);
void grid_deinit(struct grid *grid);

/* Adds a row: a text for each column, any bytes; they are copied. */
void grid_add(struct grid *grid, const char *const *texts);

/* Writes the titles and the rows, for a terminal of so many columns. Nothing without rows.
 * ERROR_NO_MEMORY, and nothing is written, if there was no memory for a row. */
MUST_CHECK enum error_kind grid_write(const struct grid *grid, unsigned width, FILE *stream,
                                      struct error *error);

#endif
