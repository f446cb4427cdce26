// SPDX-License-Identifier: Apache-2.0
/*
 * columns: a table of texts, each column as wide as what stands in it. Where a terminal is too
 * narrow, columns are left out, the least important first. Layer: bench/cli.
 *
 * Invariant: what stands in one column of the table is aligned, whatever its length.
 */
#ifndef BENCH_CLI_COLUMNS_H
#define BENCH_CLI_COLUMNS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define COLUMNS_MAX       16
#define COLUMNS_CELL_SIZE 48 /* a longer text is cut */

struct column {
    const char *over; /* the title's two lines, ASCII; "" */
    const char *title;
    bool left;      /* aligned to the left: words */
    unsigned spare; /* 0: is always there; else the column with the highest is left out first */
};

struct columns {
    const struct column *list;
    size_t count;
    bool hidden[COLUMNS_MAX];
    char (*cells)[COLUMNS_CELL_SIZE]; /* row by row */
    size_t used, room;
    bool lacks_memory; /* a cell is missing */
};

/* The list must outlive the table. To be followed by columns_deinit. */
void columns_init(struct columns *columns, const struct column *list, size_t count);
void columns_deinit(struct columns *columns);

/* Puts the next cell: those of a row from left to right, then those of the next. ASCII. */
void columns_put(struct columns *columns, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How wide a row is, without what is hidden. */
size_t columns_width(const struct columns *columns);

/* Hides columns that may be left out until a row fits in this width, but for those whose `spare`
 * is below `least`. Returns whether it fits. */
bool columns_fit(struct columns *columns, size_t width, unsigned least);

/* Writes the titles and the rows, without blanks at the end of a line. ERROR_NO_MEMORY, and nothing
 * is written, if there was no memory for a cell. */
MUST_CHECK enum error_kind columns_write(const struct columns *columns, FILE *stream,
                                         struct error *error);

#endif
