// SPDX-License-Identifier: Apache-2.0
/*
 * columns: the values of a row as they are written into its file.
 */
#ifndef TESTS_COLUMNS_H
#define TESTS_COLUMNS_H

#include "measure/table.h"

/* columns: names, each with its text; a NULL in place of a name ends them. */
void assert_row_has(const struct table_type *type, const struct table_value *row,
                    const char *const (*columns)[2]);

#define ASSERT_COLUMNS(type, row, ...)                                                             \
    assert_row_has((type), (row), (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

#endif
