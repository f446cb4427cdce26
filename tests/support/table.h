// SPDX-License-Identifier: Apache-2.0
/*
 * table: reads a CSV file without the library's reader, so that an error of that reader is
 * detected.
 */
#ifndef TESTS_TABLE_H
#define TESTS_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A file's text, for the caller to free. */
char *read_text(const char *path);

/* The fields of a CSV file; row 0 is the first below the names of the columns. */
struct table {
    char *text;
    char **fields; /* columns of them for each row, the names first */
    size_t columns, rows;
};

/* Reads a CSV file, and fails unless every row is whole. For the caller to table_deinit. */
struct table table_read(const char *path);

void table_deinit(struct table *table);

bool table_has(const struct table *table, const char *column);

const char *table_text(const struct table *table, size_t row, const char *column);

double table_real(const struct table *table, size_t row, const char *column);

uint64_t table_count(const struct table *table, size_t row, const char *column);

#endif
