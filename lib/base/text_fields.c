// SPDX-License-Identifier: Apache-2.0
#include "base/text_fields.h"

#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static size_t width_of(enum text_field_kind kind)
{
    static const size_t widths[] = {[TEXT_FIELD_U32] = sizeof(uint32_t),
                                    [TEXT_FIELD_U64] = sizeof(uint64_t),
                                    [TEXT_FIELD_BOOL] = sizeof(bool)};
    return widths[kind];
}

static uint64_t number_at(const char *place, enum text_field_kind kind)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    bool flag = false;
    switch (kind) {
    case TEXT_FIELD_U32:
        memcpy(&narrow, place, sizeof narrow);
        return narrow;
    case TEXT_FIELD_U64:
        memcpy(&wide, place, sizeof wide);
        return wide;
    default:
        memcpy(&flag, place, sizeof flag);
        return flag;
    }
}

static void put_number(char *place, enum text_field_kind kind, uint64_t number)
{
    uint32_t narrow = (uint32_t)number;
    bool flag = number != 0;
    if (kind == TEXT_FIELD_U64)
        memcpy(place, &number, sizeof number);
    else if (kind == TEXT_FIELD_U32)
        memcpy(place, &narrow, sizeof narrow);
    else
        memcpy(place, &flag, sizeof flag);
}

void text_fields_write(const struct text_field *fields, const void *structure,
                       struct growing_text *text)
{
    for (const struct text_field *field = fields; field->name != NULL; field++) {
        const char *place = (const char *)structure + field->offset;
        growing_text_add(text, "%s", field->name);
        if (field->kind == TEXT_FIELD_TEXT) {
            growing_text_add(text, " %s", place);
            for (char *at = text->text + text->length - strlen(place); *at != '\0'; at++)
                *at = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
        } else {
            for (size_t at = 0; at < field->size; at += width_of(field->kind))
                growing_text_add(text, " %llu",
                                 (unsigned long long)number_at(place + at, field->kind));
        }
        growing_text_add(text, "\n");
    }
}

void text_fields_describe(const struct text_field *fields, struct growing_text *text)
{
    for (; fields->name != NULL; fields++)
        growing_text_add(text, "%s %d %zu\n", fields->name, (int)fields->kind, fields->size);
}

static bool read_numbers(const struct text_field *field, char *line, char *place)
{
    static const uint64_t most[] = {
        [TEXT_FIELD_U32] = UINT32_MAX, [TEXT_FIELD_U64] = UINT64_MAX, [TEXT_FIELD_BOOL] = 1};
    char *rest = line;
    for (size_t at = 0; at < field->size; at += width_of(field->kind)) {
        const char *word = strsep(&rest, " ");
        uint64_t number;
        if (word == NULL || !text_parse_number(word, 0, most[field->kind], &number))
            return false;
        put_number(place + at, field->kind, number);
    }
    return rest == NULL;
}

/* Reads the line at *text, without its name. */
static bool read_line(const struct text_field *field, const char **text,
                      char line[TEXT_FIELDS_SIZE_MAX])
{
    size_t name = strlen(field->name);
    const char *end = strchr(*text, '\n');
    if (end == NULL || strncmp(*text, field->name, name) != 0 || (*text)[name] != ' ')
        return false;
    const char *value = *text + name + 1;
    size_t length = (size_t)(end - value);
    if (length >= TEXT_FIELDS_SIZE_MAX)
        return false;
    memcpy(line, value, length);
    line[length] = '\0';
    *text = end + 1;
    return true;
}

bool text_fields_read(const struct text_field *fields, void *structure, size_t size,
                      const char **text)
{
    char read[TEXT_FIELDS_SIZE_MAX], line[TEXT_FIELDS_SIZE_MAX];
    const char *at = *text;
    assert(size <= sizeof read);
    memcpy(read, structure, size);
    for (const struct text_field *field = fields; field->name != NULL; field++) {
        char *place = read + field->offset;
        if (!read_line(field, &at, line))
            return false;
        if (field->kind != TEXT_FIELD_TEXT && !read_numbers(field, line, place))
            return false;
        if (field->kind == TEXT_FIELD_TEXT && strlen(line) >= field->size)
            return false;
        if (field->kind == TEXT_FIELD_TEXT)
            strcpy(place, line);
    }
    memcpy(structure, read, size);
    *text = at;
    return true;
}
