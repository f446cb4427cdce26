// SPDX-License-Identifier: Apache-2.0
#include "bench/output/json_result.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 12 /* of a number with a fraction: more than any measurement has */

static void *allocate(size_t size)
{
    return memory_new(1, size);
}

void json_result_start(void)
{
    json_set_alloc_funcs(allocate, free);
}

/* ------------------------------------------------------------------ texts */

static json_t *escape(const char *bytes, size_t left)
{
    size_t size = left * strlen("\\xff") + 1, at = 0;
    uint32_t ignored;
    char *escaped = memory_new(1, size);
    while (left > 0) {
        size_t length = printable_decode(bytes, left, &ignored);
        if (length > 0)
            memcpy(escaped + at, bytes, length);
        else
            snprintf(escaped + at, size - at, "\\x%02x", (unsigned char)*bytes);
        at += length > 0 ? length : strlen("\\xff");
        bytes += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    json_t *text = json_stringn(escaped, at);
    free(escaped);
    return text;
}

json_t *json_text(const char *bytes)
{
    return json_text_bytes(bytes, strlen(bytes));
}

json_t *json_text_bytes(const char *bytes, size_t length)
{
    json_t *text = json_stringn(bytes, length);
    return text != NULL ? text : escape(bytes, length);
}

/* ------------------------------------------------------------------ results */

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

static json_t *value_of(const struct table_value *value)
{
    switch (value->kind) {
    case TABLE_TEXT:
        return json_result_text(value->text);
    case TABLE_COUNT:
        return json_integer((json_int_t)value->count);
    case TABLE_SIGNED:
        return json_integer((json_int_t)value->number);
    case TABLE_FLAG:
        return json_boolean(value->flag);
    default:
        return json_result_real(table_number(value));
    }
}

void json_result_set_row(json_t *object, const struct table_type *type,
                         const struct table_value *row, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        json_object_set_new(object, type->columns[i].name, value_of(&row[i]));
}

json_t *json_result_rows(const struct table *table)
{
    json_t *list = json_array();
    for (size_t i = 0; i < table->rows; i++) {
        json_t *object = json_object();
        for (size_t j = 0; j < table->type->count; j++) {
            if (table->type->columns[j].summary != TABLE_PRIVATE)
                json_result_set_row(object, table->type, table_row(table, i), j, j);
        }
        json_array_append_new(list, object);
    }
    return list;
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

void json_result_write(json_t *object, FILE *stream)
{
    const size_t flags = JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS);
    assert(object != NULL); /* else a text is no UTF-8: json_text makes one of it */
    json_dump_callback(object, write_without_del, stream, flags);
    json_decref(object);
    fputc('\n', stream);
}
