// SPDX-License-Identifier: Apache-2.0
/*
 * csv_reader: a CSV file (RFC 4180), read as a whole, with columns by name. Layer: measure.
 *
 * The first row names the columns. Rows end in a line feed, with or without a carriage return
 * before it; the last row may lack it.
 *
 * Invariant: in an open file every row has a field for every column, all column names differ, and
 * every quote is closed. Any other file is refused with the number of its line.
 */
#ifndef MEASURE_CSV_READER_H
#define MEASURE_CSV_READER_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

struct csv_reader {
    char name[256]; /* of the file, for errors */
    char *text;     /* the whole file; its fields end in a zero byte */
    char **fields;  /* the names, then row after row */
    size_t *lines;  /* number of the line on which each row begins, the names first; from 1 */
    size_t columns;
    size_t rows; /* without the names */
};

/* Reads a stream to its end; the caller closes it. name: of the file, for errors. On success the
 * caller ends *reader with csv_reader_deinit; on an error *reader is unchanged. ERROR_MALFORMED,
 * with the line and what is wrong; ERROR_NO_MEMORY; ERROR_SYSTEM if reading failed. */
MUST_CHECK enum error_kind csv_reader_init(FILE *stream, const char *name,
                                           struct csv_reader *reader, struct error *error);

/* The same for the file at this path; also the errors of opening it. */
MUST_CHECK enum error_kind csv_reader_open(const char *path, struct csv_reader *reader,
                                           struct error *error);

/* Does nothing if *reader is all zero bytes. */
void csv_reader_deinit(struct csv_reader *reader);

/* The index of a column. ERROR_MALFORMED if no column has this name. */
MUST_CHECK enum error_kind csv_reader_column(const struct csv_reader *reader, const char *name,
                                             size_t *column, struct error *error);

/* A field, without its quotes; owned by the reader. */
const char *csv_reader_text(const struct csv_reader *reader, size_t row, size_t column);

/* Fills *error with ERROR_MALFORMED for a field that the caller does not accept: file, line,
 * column, the field's text, and why. */
enum error_kind csv_reader_refuse(const struct csv_reader *reader, size_t row, size_t column,
                                  const char *why, struct error *error);

#endif
