// SPDX-License-Identifier: Apache-2.0
/*
 * row: finds a field in a row of a CSV file that is in memory.
 */
#ifndef TESTS_ROW_H
#define TESTS_ROW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The row has this value in this column, of these columns. No value in the row has a comma. */
void assert_field(const char *columns, const char *row, const char *column, const char *value);

/* The row has as many fields as there are columns, each of which has a comma behind it. */
void assert_fields(const char *columns, const char *row);

#endif
