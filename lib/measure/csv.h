// SPDX-License-Identifier: Apache-2.0
/*
 * csv: rows of comma-separated values, RFC 4180. Layer: measure.
 *
 * Rows end in a bare line feed, which every reader of RFC 4180 takes: a carriage return would stick
 * to the last column in awk and cut. Numbers have a decimal point and no thousands separators.
 * Invariant: csv puts the commas, and nobody else. Errors stay with the stream: output_commit (or
 * ferror) finds them.
 *
 *     struct csv csv = {.stream = stream};
 *     csv_header(&csv, "recipe,waiters,handoff_us");
 *     csv_text(&csv, "queue"), csv_count(&csv, 7), csv_real(&csv, 812.5, 1);
 *     csv_end_row(&csv);
 */
#ifndef MEASURE_CSV_H
#define MEASURE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *stream; /* the caller's */
    bool in_row;  /* the row has a field already */
};

/*
 * A file's columns are a list COLUMNS(X) of X(name, write), where `write` is a call that puts one
 * field. COLUMNS(CSV_NAME) is then the names for csv_header, and COLUMNS(CSV_WRITE) the calls, with
 * a comma behind each, for the end of the row to follow:
 *
 *     #define COLUMNS(X)                     \
 *         X(recipe, csv_text(csv, recipe))   \
 *         X(waiters, csv_count(csv, waiters))
 *
 *     COLUMNS(CSV_WRITE) csv_end_row(csv);
 */
#define CSV_NAME(name, write)  #name ","
#define CSV_WRITE(name, write) write,

/* The first row: names with commas between them, as they are, and the end of the row. A comma
 * behind the last name is left out. */
void csv_header(struct csv *csv, const char *names);

/* One field each. A text is quoted where it has to be; NULL is an empty field. */
void csv_text(struct csv *csv, const char *text);
void csv_count(struct csv *csv, uint64_t count);
void csv_signed(struct csv *csv, int64_t number);

/* The count, or an empty field if it is not known. */
void csv_count_if(struct csv *csv, bool known, uint64_t count);

/* A number with so many decimals; an empty field if it is not finite. */
void csv_real(struct csv *csv, double number, int decimals);

void csv_empty(struct csv *csv);

void csv_end_row(struct csv *csv);

#endif
