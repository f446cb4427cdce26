// SPDX-License-Identifier: Apache-2.0
/*
 * table: a CSV file, read apart from the library's reader, so that a mistake of that one shows.
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

/* A CSV file, taken apart; row 0 is the first below the names of the columns. */
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
