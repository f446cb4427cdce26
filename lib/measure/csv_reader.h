// SPDX-License-Identifier: Apache-2.0
/*
 * csv_reader: a CSV file as RFC 4180 has it, read as a whole, columns by name. Layer: measure.
 *
 * The first row names the columns. Rows end in a line feed, with or without a carriage return
 * before it; the last one may lack it. What csv.h writes is read back field by field.
 *
 * Invariant: what was opened is well-formed: every row has a field for every column, no two columns
 * have one name, no quote is open. Anything else is refused with its line, and never guessed at.
 */
#ifndef MEASURE_CSV_READER_H
#define MEASURE_CSV_READER_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

struct csv_reader {
    char name[256]; /* of the file, for complaints */
    char *text;     /* all of it; the fields lie in it, each with a zero byte behind it */
    char **fields;  /* the names, then row after row */
    size_t *lines;  /* on which line each row begins, the names' first; lines count from 1 */
    size_t columns;
    size_t rows; /* without the names */
};

/*
 * Reads a stream to its end; name is what complaints call it. The stream stays the caller's. On
 * success *reader is the caller's, to csv_reader_deinit; on an error it is unchanged.
 * ERROR_MALFORMED, with the line and what is wrong; ERROR_NO_MEMORY; ERROR_SYSTEM if reading
 * failed.
 */
MUST_CHECK enum error_kind csv_reader_init(FILE *stream, const char *name,
                                           struct csv_reader *reader, struct error *error);

/* The same of a file; also the errors of opening it. */
MUST_CHECK enum error_kind csv_reader_open(const char *path, struct csv_reader *reader,
                                           struct error *error);

/* Fine for one that is all zero bytes. */
void csv_reader_deinit(struct csv_reader *reader);

/* The place of a column. ERROR_MALFORMED if there is none of this name. */
MUST_CHECK enum error_kind csv_reader_column(const struct csv_reader *reader, const char *name,
                                             size_t *column, struct error *error);

/* A field, without its quotes. It lives as long as the reader. */
const char *csv_reader_text(const struct csv_reader *reader, size_t row, size_t column);

/* A field as a number: decimal, with a point; NaN if it is empty. ERROR_MALFORMED for anything
 * else, "nan" and "inf" included. */
MUST_CHECK enum error_kind csv_reader_number(const struct csv_reader *reader, size_t row,
                                             size_t column, double *number, struct error *error);

/* ERROR_MALFORMED about a field, for what only the caller can judge: the file, the line, the column
 * and the field's text, and why it will not do. */
enum error_kind csv_reader_refuse(const struct csv_reader *reader, size_t row, size_t column,
                                  const char *why, struct error *error);

#endif
