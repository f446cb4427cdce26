// SPDX-License-Identifier: Apache-2.0
/*
 * row: the fields of a row, as the file of its table has them.
 */
#ifndef TESTS_ROW_H
#define TESTS_ROW_H

#include "measure/table.h"
#include "tests/support/test.h"

/* The row has these texts in these columns; a NULL in place of a name ends them. */
void assert_row_has(const struct table_type *type, const struct table_value *row,
                    const char *const (*columns)[2]);

#define ASSERT_COLUMNS(type, row, ...)                                                             \
    assert_row_has((type), (row), (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

/* A row of a table has this in this column. */
#define assert_field(table, row, column, text)                                                     \
    ASSERT_COLUMNS((table)->type, table_row((table), (row)), {(column), (text)})

#endif
