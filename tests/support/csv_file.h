// SPDX-License-Identifier: Apache-2.0
/*
 * csv_file: reads a CSV file without the library's reader, so that an error of that reader is
 * detected.
 */
#ifndef TESTS_CSV_FILE_H
#define TESTS_CSV_FILE_H

#include "tests/support/test.h"

/* A file's text, for the caller to free. */
char *read_text(const char *path);

/* The fields of a CSV file; row 0 is the first below the names of the columns. */
struct csv_file {
    char *text;
    char **fields; /* columns of them for each row, the names first */
    size_t columns, rows;
};

/* Reads a CSV file, and fails unless every row is whole. For the caller to csv_file_deinit. */
struct csv_file csv_file_read(const char *path);

void csv_file_deinit(struct csv_file *table);

bool csv_file_has(const struct csv_file *table, const char *column);

const char *csv_file_text(const struct csv_file *table, size_t row, const char *column);

double csv_file_real(const struct csv_file *table, size_t row, const char *column);

uint64_t csv_file_count(const struct csv_file *table, size_t row, const char *column);

#endif
