// SPDX-License-Identifier: Apache-2.0
/*
 * csv: rows of comma-separated values (RFC 4180), written one by one and read as a whole. Layer:
 * measure.
 *
 * Written rows end in a line feed without a carriage return, which awk and cut would add to the
 * last column; those read may have one, and the last row may lack both. Errors of writing stay in
 * the stream.
 *
 * Invariant: in a file that was read every row has a field for every column, and all column names
 * differ. Any other file is refused with the number of its line.
 */
#ifndef MEASURE_CSV_H
#define MEASURE_CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *stream; /* owned by the caller */
    bool in_row;  /* the current row has a field */
};

/* For a file whose columns are a list COLUMNS(X) of X(name, write), such as X(recipe,
 * csv_text(csv, recipe)): COLUMNS(CSV_NAME) for csv_header, and COLUMNS(CSV_WRITE)
 * csv_end_row(csv) for a row. */
#define CSV_NAME(name, write)  #name ","
#define CSV_WRITE(name, write) write,

/* Writes the first row: names, separated by commas. A comma after the last name is left out. */
void csv_header(struct csv *csv, const char *names);

/* Each writes one field. A text is quoted if necessary; NULL, a count that is not known, and a
 * number that is not finite are empty fields. */
void csv_text(struct csv *csv, const char *text);
void csv_count(struct csv *csv, uint64_t count);
void csv_count_if(struct csv *csv, bool known, uint64_t count);
void csv_signed(struct csv *csv, int64_t number);
void csv_real(struct csv *csv, double number, int decimals);

void csv_end_row(struct csv *csv);

/* ------------------------------------------------------------------ reading */

struct csv_reader {
    char name[256]; /* of the file, for errors */
    char *text;     /* the whole file; its fields end in a zero byte */
    char **fields;  /* the names, then row after row */
    size_t *lines;  /* number of the line on which each row begins, the names first; from 1 */
    size_t columns;
    size_t rows; /* without the names */
};

/* Reads a stream to its end, or the file at a path. ERROR_MALFORMED, and those of opening and
 * reading; then *reader is unchanged. One of zero bytes may be freed, too. */
MUST_CHECK enum error_kind csv_reader_init(FILE *stream, const char *name,
                                           struct csv_reader *reader, struct error *error);
MUST_CHECK enum error_kind csv_reader_open(const char *path, struct csv_reader *reader,
                                           struct error *error);
void csv_reader_deinit(struct csv_reader *reader);

/* The index of a column. ERROR_MALFORMED if no column has this name. */
MUST_CHECK enum error_kind csv_reader_column(const struct csv_reader *reader, const char *name,
                                             size_t *column, struct error *error);

/* A field, without its quotes; owned by the reader. */
const char *csv_reader_text(const struct csv_reader *reader, size_t row, size_t column);

/* Raises ERROR_MALFORMED for a field that the caller does not accept. */
enum error_kind csv_reader_refuse(const struct csv_reader *reader, size_t row, size_t column,
                                  const char *why, struct error *error);

#endif
