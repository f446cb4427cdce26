// SPDX-License-Identifier: Apache-2.0
#include "tests/support/json_row.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Half of the last digit, and what is lost where a number is taken apart. */
static double rounding_of(const char *text)
{
    const char *point = strchr(text, '.');
    double digits = point != NULL ? (double)strspn(point + 1, "0123456789") : 0;
    return 0.5 * pow(10, -digits) + 1e-9 * fabs(strtod(text, NULL));
}

static bool equals(const json_t *value, const char *text)
{
    if (json_is_null(value))
        return text[0] == '\0';
    if (json_is_boolean(value))
        return strcmp(text, json_is_true(value) ? "yes" : "no") == 0;
    if (json_is_string(value))
        return strcmp(text, json_string_value(value)) == 0;
    return json_is_number(value) && text[0] != '\0' &&
           fabs(json_number_value(value) - strtod(text, NULL)) <= rounding_of(text);
}

size_t assert_json_row(const json_t *object, const struct csv_file *table, size_t row)
{
    const char *key;
    json_t *value;
    size_t compared = 0;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!csv_file_has(table, key))
            continue;
        if (!equals(value, csv_file_text(table, row, key)))
            fail_msg("row %zu: %s is '%s' in the file", row, key, csv_file_text(table, row, key));
        compared++;
    }
    return compared;
}
