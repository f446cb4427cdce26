// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ finding */

static bool is_at(const struct comparison *comparison, const struct place *place,
                  const struct table_value *row)
{
    bool same = true;
    for (size_t i = 0; i < comparison->name_count; i++)
        same = same && table_equal(&place->keys[comparison->names[i]], &row[comparison->names[i]]);
    for (size_t i = 0; i < comparison->number_count; i++)
        same =
            same && table_equal(&place->keys[comparison->numbers[i]], &row[comparison->numbers[i]]);
    return same;
}

static struct place *find_place(struct comparison *comparison, const struct table_value *row)
{
    for (size_t i = 0; i < comparison->place_count; i++) {
        if (is_at(comparison, &comparison->places[i], row))
            return &comparison->places[i];
    }
    comparison->places =
        memory_grow(comparison->places, comparison->place_count, sizeof *comparison->places);
    struct place *place = &comparison->places[comparison->place_count++];
    *place = (struct place){.keys = row};
    return place;
}

static void add_cells(struct comparison *comparison, struct side *side)
{
    size_t keys[2 * PLACE_KEYS_MAX], count = comparison->name_count;
    memcpy(keys, comparison->names, sizeof comparison->names);
    for (size_t i = 0; i < comparison->number_count; i++)
        keys[count++] = comparison->numbers[i];
    side->cells = table_group(&side->run.trials, keys, count);
    for (size_t i = 0; i < side->cells.count; i++) {
        const struct table_cell *cell = &side->cells.list[i];
        struct place *place = find_place(comparison, table_row(cell->table, cell->rows[0]));
        place->of[side - comparison->sides] = cell;
    }
}

/* ------------------------------------------------------------------ names */

static bool varies(const struct comparison *comparison, size_t column)
{
    for (size_t i = 1; i < comparison->place_count; i++) {
        if (!table_equal(&comparison->places[0].keys[column], &comparison->places[i].keys[column]))
            return true;
    }
    return false;
}

/* The first text, and others that vary; a kind without a text has one group, named by its file. */
static char *group_of(const struct comparison *comparison, const struct place *place)
{
    struct growing_text text = {0};
    const struct table_type *type = comparison->kind->type;
    for (size_t i = 0; i < comparison->name_count; i++) {
        const struct table_value *value = &place->keys[comparison->names[i]];
        if (value->kind == TABLE_TEXT && (i == 0 || varies(comparison, comparison->names[i])))
            growing_text_add(&text, "%s%s", text.length > 0 ? ", " : "", value->text);
    }
    if (text.length == 0)
        growing_text_add(&text, "%.*s", (int)strcspn(type->file, "."), type->file);
    return text.text;
}

/* The numbers behind the first, of those that vary. */
static char *rest_of(const struct comparison *comparison, const struct place *place)
{
    struct growing_text text = {0};
    growing_text_add(&text, "%s", "");
    for (size_t i = 1; i < comparison->number_count; i++) {
        size_t column = comparison->numbers[i];
        if (varies(comparison, column) && place->keys[column].kind != TABLE_UNKNOWN)
            growing_text_add(&text, "%s%s %.0f", text.length > 0 ? ", " : "",
                             comparison->kind->type->columns[column].name,
                             table_number(&place->keys[column]));
    }
    return text.text;
}

/* ------------------------------------------------------------------ order */

/* Where a list of the plan has the text: the order in which a user named them. */
static size_t rank_in_plan(const struct comparison *comparison, const struct place *place)
{
    const struct table_value *name =
        comparison->name_count > 0 ? &place->keys[comparison->names[0]] : NULL;
    const char *key;
    json_t *list, *item;
    size_t index;
    json_object_foreach(comparison->sides[0].run.plan, key, list)
    {
        json_array_foreach(list, index, item)
        {
            if (name != NULL && name->kind == TABLE_TEXT && json_is_string(item) &&
                strcmp(json_string_value(item), name->text) == 0)
                return index;
        }
    }
    return SIZE_MAX;
}

/* Unknown is below all numbers. */
static double order_of(const struct table_value *value)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a place has keys */
    return value->kind == TABLE_UNKNOWN ? -INFINITY : table_number(value);
}

static bool is_before(const struct comparison *comparison, const struct place *a,
                      const struct place *b)
{
    size_t of_a = rank_in_plan(comparison, a), of_b = rank_in_plan(comparison, b);
    int by_group = strcmp(a->group, b->group);
    if (of_a != of_b || by_group != 0)
        return of_a != of_b ? of_a < of_b : by_group < 0;
    for (size_t i = 0; i < comparison->number_count; i++) {
        double x = order_of(&a->keys[comparison->numbers[i]]),
               y = order_of(&b->keys[comparison->numbers[i]]);
        if (x != y)
            return x < y;
    }
    return false;
}

void comparison_place(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++)
        add_cells(comparison, &comparison->sides[i]);
    for (size_t i = 0; i < comparison->place_count; i++) {
        struct place *place = &comparison->places[i];
        const struct table_value *size =
            comparison->number_count > 0 ? &place->keys[comparison->numbers[0]] : NULL;
        place->group = group_of(comparison, place);
        place->at = rest_of(comparison, place);
        place->size = size != NULL && size->kind == TABLE_COUNT ? size->count : 0;
    }
    for (size_t i = 1; i < comparison->place_count; i++) {
        struct place moved = comparison->places[i];
        size_t at = i;
        for (; at > 0 && is_before(comparison, &moved, &comparison->places[at - 1]); at--)
            comparison->places[at] = comparison->places[at - 1];
        comparison->places[at] = moved;
    }
}

bool comparison_begins(const struct comparison *comparison, size_t place)
{
    return place == 0 ||
           strcmp(comparison->places[place].group, comparison->places[place - 1].group) != 0;
}

const char *comparison_size_word(const struct comparison *comparison)
{
    return comparison->number_count > 0
               ? comparison->kind->type->columns[comparison->numbers[0]].name
               : "size";
}
