// SPDX-License-Identifier: Apache-2.0
#include "tests/support/row.h"

void assert_row_has(const struct table_type *type, const struct table_value *row,
                    const char *const (*columns)[2])
{
    for (; (*columns)[0] != NULL; columns++) {
        size_t column = 0;
        char text[200] = "";
        while (strcmp(type->columns[column].name, (*columns)[0]) != 0)
            assert_true(++column < type->count);
        FILE *stream = fmemopen(text, sizeof text, "w");
        struct csv csv = {.stream = stream};
        table_write_value(&row[column], type->columns[column].decimals, &csv);
        fclose(stream);
        if (strcmp(text, (*columns)[1]) != 0)
            fail_msg("%s: '%s', not '%s'", (*columns)[0], text, (*columns)[1]);
    }
}
