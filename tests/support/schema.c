// SPDX-License-Identifier: Apache-2.0
#include "tests/support/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PLACE_SIZE 512

struct check {
    const json_t *schema, *rows; /* of its name; of rows of tables */ /* the whole file */
    char place[PLACE_SIZE];             /* such as ".cells[0].recipe" */
    char complaint[2 * PLACE_SIZE + 2]; /* the first; "": none */
};

__attribute__((format(printf, 2, 3))) static void complain(struct check *check, const char *format,
                                                           ...)
{
    char why[PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (check->complaint[0] == '\0')
        snprintf(check->complaint, sizeof check->complaint, "%s: %s", check->place, why);
}

static void check_value(struct check *check, const json_t *rule, const json_t *value);

static bool is_of_type(const json_t *value, const char *type)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : strcmp(type, "null") == 0 && json_is_null(value);
}

static void check_type(struct check *check, const json_t *types, const json_t *value)
{
    bool fits = json_is_string(types) && is_of_type(value, json_string_value(types));
    for (size_t i = 0; i < json_array_size(types); i++)
        fits = fits || is_of_type(value, json_string_value(json_array_get(types, i)));
    if (!fits)
        complain(check, "is of another type");
}

static void check_enum(struct check *check, const json_t *words, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        if (json_equal(json_array_get(words, i), value))
            return;
    }
    complain(check, "is not in the list");
}

/* Its own complaints would be about kinds that the value is not meant to be. */
static void check_any(struct check *check, const json_t *rules, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        struct check one = {.schema = check->schema};
        check_value(&one, json_array_get(rules, i), value);
        if (one.complaint[0] == '\0')
            return;
    }
    complain(check, "is of none of the kinds");
}

static void check_required(struct check *check, const json_t *names, const json_t *value)
{
    for (size_t i = 0; json_is_object(value) && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (json_object_get(value, name) == NULL)
            complain(check, "has no '%s'", name);
    }
}

static void check_below(struct check *check, const json_t *rule, const json_t *value,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The rule is true, false or a schema. */
static void check_below(struct check *check, const json_t *rule, const json_t *value,
                        const char *format, ...)
{
    size_t length = strlen(check->place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->place + length, sizeof check->place - length, format, arguments);
    va_end(arguments);
    if (json_is_false(rule))
        complain(check, "is no key of the schema");
    if (json_is_object(rule))
        check_value(check, rule, value);
    check->place[length] = '\0';
}

static void check_members(struct check *check, const json_t *rule, const json_t *value)
{
    const json_t *properties = json_object_get(rule, "properties");
    const json_t *others = json_object_get(rule, "additionalProperties");
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        const json_t *named = json_object_get(properties, name);
        check_below(check, named != NULL ? named : others, member, ".%s", name);
    }
}

static const json_t *definition(const struct check *check, const char *reference)
{
    static const char rows[] = "rows.schema.json", before[] = "#/$defs/";
    bool of_rows = strncmp(reference, rows, strlen(rows)) == 0;
    const char *in_file = of_rows ? reference + strlen(rows) : reference;
    const json_t *found =
        strncmp(in_file, before, strlen(before)) != 0
            ? NULL
            : json_object_get(json_object_get(of_rows ? check->rows : check->schema, "$defs"),
                              in_file + strlen(before));
    if (found == NULL)
        fail_msg("%s: the schema does not define %s", check->place, reference);
    return found;
}

static void check_words(const struct check *check, const json_t *rule)
{
    static const char known[] = " $schema $id $defs $ref title description type properties "
                                "required additionalProperties items enum anyOf ";
    const char *word;
    json_t *ignored;
    json_object_foreach((json_t *)(uintptr_t)rule, word, ignored)
    {
        char padded[64];
        snprintf(padded, sizeof padded, " %s ", word);
        if (strstr(known, padded) == NULL)
            fail_msg("%s: '%s' of the schema is not checked", check->place, word);
    }
}

static void check_value(struct check *check, const json_t *rule, const json_t *value)
{
    const json_t *of;
    check_words(check, rule);
    if ((of = json_object_get(rule, "$ref")) != NULL)
        check_value(check, definition(check, json_string_value(of)), value);
    if ((of = json_object_get(rule, "type")) != NULL)
        check_type(check, of, value);
    if ((of = json_object_get(rule, "enum")) != NULL)
        check_enum(check, of, value);
    if ((of = json_object_get(rule, "anyOf")) != NULL)
        check_any(check, of, value);
    check_required(check, json_object_get(rule, "required"), value);
    check_members(check, rule, value);
    of = json_object_get(rule, "items");
    for (size_t i = 0; of != NULL && i < json_array_size(value); i++)
        check_below(check, of, json_array_get(value, i), "[%zu]", i);
}

const char *schema_complaint(const json_t *value, const char *name)
{
    static struct check check;
    char path[128];
    json_error_t error;
    snprintf(path, sizeof path, "docs/schema/%s.schema.json", name);
    json_t *schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error),
           *rows = json_load_file("docs/schema/rows.schema.json", JSON_REJECT_DUPLICATES, NULL);
    if (schema == NULL)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    check = (struct check){.schema = schema, .rows = rows};
    check_value(&check, schema, value);
    json_decref(schema);
    json_decref(rows);
    return check.complaint[0] != '\0' ? check.complaint : NULL;
}

void assert_schema(const json_t *value, const char *name, const char *what)
{
    const char *complaint = schema_complaint(value, name);
    if (complaint != NULL)
        fail_msg("%s%s", what, complaint);
}
