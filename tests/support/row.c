// SPDX-License-Identifier: Apache-2.0
#include "tests/support/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void assert_field(const struct table *table, size_t row, const char *column, const char *value)
{
    char *text = NULL;
    size_t length, at = 0;
    while (at < table->type->count && strcmp(table->type->columns[at].name, column) != 0)
        at++;
    assert_true(at < table->type->count);
    FILE *stream = open_memstream(&text, &length);
    struct csv csv = {.stream = stream};
    table_write_value(&table_row(table, row)[at], table->type->columns[at].decimals, &csv);
    fclose(stream);
    if (strcmp(text, value) != 0)
        fail_msg("%s is '%s', not '%s'", column, text, value);
    free(text);
}
