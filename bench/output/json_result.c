// SPDX-License-Identifier: Apache-2.0
#include "bench/output/json_result.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#define DIGITS     12 /* of a number with a fraction: more than any measurement has */
#define ALL_DIGITS 17

json_t *json_result_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_result_count(double value)
{
    return isfinite(value) ? json_integer((json_int_t)llround(value)) : json_null();
}

json_t *json_result_text(const char *text)
{
    return text != NULL && text[0] != '\0' ? json_text(text) : json_null();
}

void json_result_set_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_result_real(value));
}

void json_result_set_interval(json_t *object, const char *key, const struct interval *interval)
{
    char end[48];
    json_result_set_real(object, key, interval->value);
    snprintf(end, sizeof end, "%s_low", key);
    json_result_set_real(object, end, interval->low);
    snprintf(end, sizeof end, "%s_high", key);
    json_result_set_real(object, end, interval->high);
}

void json_result_set_row(json_t *object, const struct table_type *type,
                         const struct table_value *row, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++) {
        const struct table_value *value = &row[i];
        json_object_set_new(object, type->columns[i].name,
                            value->kind == TABLE_TEXT    ? json_result_text(value->text)
                            : value->kind == TABLE_COUNT ? json_integer((json_int_t)value->count)
                            : value->kind == TABLE_FLAG  ? json_boolean(value->flag)
                                                         : json_result_real(table_number(value)));
    }
}

/* DEL is ASCII, so jansson leaves it; it can stand within a string only. */
static int write_without_del(const char *text, size_t length, void *stream)
{
    for (size_t i = 0; i < length; i++) {
        if ((text[i] == '\x7f' ? fputs("\\u007F", stream) : putc(text[i], stream)) == EOF)
            return -1;
    }
    return 0;
}

static enum error_kind write_object(json_t *object, size_t digits, const char *subject,
                                    FILE *stream, struct error *error)
{
    const size_t flags = JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(digits);
    bool good = object != NULL && json_dump_callback(object, write_without_del, stream, flags) == 0;
    json_decref(object);
    if (!good && !ferror(stream))
        return error_from_errno(error, ENOMEM, subject, "for its JSON");
    fputc('\n', stream);
    return ERROR_NONE;
}

enum error_kind json_result_write(json_t *object, const char *subject, FILE *stream,
                                  struct error *error)
{
    return write_object(object, DIGITS, subject, stream, error);
}

enum error_kind json_result_write_exactly(json_t *object, const char *subject, FILE *stream,
                                          struct error *error)
{
    return write_object(object, ALL_DIGITS, subject, stream, error);
}
