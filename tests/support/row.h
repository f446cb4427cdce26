// SPDX-License-Identifier: Apache-2.0
/*
 * row: a field of a row, as the file of its table has it.
 */
#ifndef TESTS_ROW_H
#define TESTS_ROW_H

#include "measure/table.h"
#include "tests/support/test.h"

/* The row has this value in this column, as it is written. */
void assert_field(const struct table *table, size_t row, const char *column, const char *value);

#endif
