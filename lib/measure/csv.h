// SPDX-License-Identifier: Apache-2.0
/*
 * csv: rows of comma-separated values, RFC 4180. Layer: measure.
 *
 * Rows end in a line feed without a carriage return, which awk and cut would add to the last
 * column. Numbers have a decimal point and no thousands separators. Errors stay in the stream:
 * output_commit (or ferror) finds them. Invariant: only csv writes commas between fields.
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
    FILE *stream; /* owned by the caller */
    bool in_row;  /* the current row has a field */
};

/*
 * The columns of a file are a list COLUMNS(X) of X(name, write), where `write` is a call that
 * writes one field. COLUMNS(CSV_NAME) expands to the names for csv_header, COLUMNS(CSV_WRITE) to
 * the calls, each followed by a comma:
 *
 *     #define COLUMNS(X)                     \
 *         X(recipe, csv_text(csv, recipe))   \
 *         X(waiters, csv_count(csv, waiters))
 *
 *     COLUMNS(CSV_WRITE) csv_end_row(csv);
 */
#define CSV_NAME(name, write)  #name ","
#define CSV_WRITE(name, write) write,

/* Writes the first row: names, separated by commas. A comma after the last name is left out. */
void csv_header(struct csv *csv, const char *names);

/* Each writes one field. A text is quoted if necessary; NULL is an empty field. */
void csv_text(struct csv *csv, const char *text);
void csv_count(struct csv *csv, uint64_t count);
void csv_signed(struct csv *csv, int64_t number);

/* The count, or an empty field if the count is not known. */
void csv_count_if(struct csv *csv, bool known, uint64_t count);

/* A number with this many decimals; an empty field if the number is not finite. */
void csv_real(struct csv *csv, double number, int decimals);

void csv_end_row(struct csv *csv);

#endif
