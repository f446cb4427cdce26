// SPDX-License-Identifier: Apache-2.0
/*
 * json_row: compares an object that a command has printed with the row of a CSV file that it has
 * written.
 */
#ifndef TESTS_JSON_ROW_H
#define TESTS_JSON_ROW_H

#include "tests/support/csv_file.h"

#include <jansson.h>

/* Fails unless each key that is also a column has the value of the row: null is an empty field,
 * true and false are yes and no, a number is equal to the last digit of the file. Returns how many
 * keys were compared, for the caller to check. */
size_t assert_json_row(const json_t *object, const struct csv_file *table, size_t row);

#endif
