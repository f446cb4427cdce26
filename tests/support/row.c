// SPDX-License-Identifier: Apache-2.0
#include "tests/support/row.h"

#include <stdio.h>
#include <string.h>

void assert_field(const char *columns, const char *row, const char *column, const char *value)
{
    const char *name = columns;
    char field[256];
    for (;;) {
        size_t length = strcspn(name, ",");
        int field_length = (int)strcspn(row, ",\n");
        snprintf(field, sizeof field, "%.*s", field_length, row);
        if (length == strlen(column) && strncmp(name, column, length) == 0)
            break;
        assert_int_equal(name[length], ',');
        name += length + 1;
        row += field_length + 1;
    }
    if (strcmp(field, value) != 0)
        fail_msg("%s is '%s', not '%s'", column, field, value);
}

static size_t count_commas(const char *text)
{
    size_t commas = 0;
    for (; *text != '\0'; text++)
        commas += *text == ',';
    return commas;
}

void assert_fields(const char *columns, const char *row)
{
    assert_int_equal(count_commas(row) + 1, count_commas(columns));
}
