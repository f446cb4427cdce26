// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "measure/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metric's value in a trial; NaN: it has none. */
static double value_of(const struct comparison *cmp, const struct table_value *trial,
                       const struct metric *metric)
{
    double figure = table_number(&trial[metric->column]);
    if (!cmp->is_of_runs)
        return figure;
    uint64_t handoffs = trial[trial_row_handoffs].count;
    if (metric->per_handoff)
        return handoffs > 0 ? figure * (metric->factor != 0 ? metric->factor : 1) / (double)handoffs
                            : NAN;
    /* Not from the column: it was not always without the arrivals. */
    if (metric->column == trial_row_handoffs_per_s && cmp->sides[0].drain)
        return (double)handoffs / table_number(&trial[trial_row_drain_s]);
    if (metric->column == trial_row_handoff_p99_us && !histogram_has_percentile(handoffs, 99))
        return NAN;
    return figure;
}

/* The cell with the keys of a row. */
static struct cell *find_cell(struct comparison *cmp, const struct table_value *row)
{
    for (size_t i = 0; i < cmp->cell_count; i++) {
        const size_t *key = cmp->keys, *end = key + cmp->key_count;
        while (key < end && table_equal(&cmp->cells[i].keys[*key], &row[*key]))
            key++;
        if (key == end)
            return &cmp->cells[i];
    }
    cmp->cells = memory_grow(cmp->cells, cmp->cell_count, sizeof *cmp->cells);
    struct cell *cell = &cmp->cells[cmp->cell_count++];
    *cell = (struct cell){.keys = row};
    cell->samples = memory_new(cmp->side_count * cmp->metric_count, sizeof *cell->samples);
    return cell;
}

/* The round of a trial is its number; without one, its place among the cell's. */
static void add_trials(struct comparison *cmp, size_t side)
{
    const struct side *of = &cmp->sides[side];
    for (size_t i = 0; i < of->trials.rows; i++) {
        const struct table_value *row = table_row(&of->trials, i);
        struct cell *cell = find_cell(cmp, row);
        const struct table_value *number = find_value(&of->trials, i, "trial");
        size_t place = cell->trials[side]++,
               round = number != NULL && number->kind == TABLE_COUNT ? number->count : place;
        for (size_t j = 0; j < cmp->metric_count; j++) {
            const struct metric *metric = &cmp->metrics[j];
            double value = value_of(cmp, row, metric);
            struct sample *sample = &cell->samples[side * cmp->metric_count + j];
            if (of->use[i] < (metric->is_count ? USE_COUNTS : USE_TIMES) || !isfinite(value))
                continue;
            sample->values = memory_grow(sample->values, sample->count, sizeof *sample->values);
            sample->rounds = memory_grow(sample->rounds, sample->count, sizeof *sample->rounds);
            sample->values[sample->count] = value;
            sample->rounds[sample->count++] = round;
        }
    }
}

static bool varies(const struct comparison *cmp, size_t key)
{
    for (size_t i = 1; i < cmp->cell_count; i++) {
        if (!table_equal(&cmp->cells[0].keys[key], &cmp->cells[i].keys[key]))
            return true;
    }
    return false;
}

/* Group: the first text, and others that vary; a kind without a text has one group, named by its
 * file. The other sizes: numbers behind the first that vary. */
static void name_cell(const struct comparison *cmp, struct cell *cell)
{
    struct growing_text group = {0}, at = {0};
    const struct table_type *type = cmp->kind->type;
    for (size_t i = 0; i < cmp->key_count; i++) {
        size_t key = cmp->keys[i];
        const struct table_value *value = &cell->keys[key];
        bool is_first = i == 0 || i == cmp->text_count;
        if (value->kind == TABLE_UNKNOWN || (!is_first && !varies(cmp, key)))
            continue;
        if (i < cmp->text_count)
            growing_text_add(&group, "%s%s", group.length > 0 ? ", " : "", value->text);
        else if (i > cmp->text_count)
            growing_text_add(&at, "%s%s %.0f", at.length > 0 ? ", " : "", type->columns[key].name,
                             table_number(value));
        else if (value->kind == TABLE_COUNT)
            cell->size = value->count;
    }
    if (group.length == 0)
        growing_text_add(&group, "%.*s", (int)strcspn(type->file, "."), type->file);
    growing_text_add(&at, "%s", "");
    cell->group = group.text;
    cell->at = at.text;
}

/* The index of the cell's first text in the list of the plan that has it: as the user named them.
 */
static size_t rank_in_plan(const struct comparison *cmp, const struct cell *cell)
{
    const struct table_value *name = &cell->keys[cmp->keys[0]];
    const char *key;
    json_t *list, *item;
    size_t index;
    if (cmp->text_count == 0 || name->kind != TABLE_TEXT)
        return SIZE_MAX;
    json_object_foreach(cmp->sides[0].plan, key, list)
    {
        json_array_foreach(list, index, item)
        {
            if (json_is_string(item) && strcmp(json_string_value(item), name->text) == 0)
                return index;
        }
    }
    return SIZE_MAX;
}

/* Unknown is below all numbers. */
static double order_of(const struct table_value *value)
{
    return value->kind == TABLE_UNKNOWN ? -INFINITY : table_number(value);
}

static bool is_before(const struct comparison *cmp, const struct cell *a, const struct cell *b)
{
    size_t of_a = rank_in_plan(cmp, a), of_b = rank_in_plan(cmp, b);
    int order = (of_a > of_b) - (of_a < of_b);
    if (order == 0)
        order = strcmp(a->group, b->group);
    for (size_t i = cmp->text_count; order == 0 && i < cmp->key_count; i++) {
        double x = order_of(&a->keys[cmp->keys[i]]), y = order_of(&b->keys[cmp->keys[i]]);
        order = (x > y) - (x < y);
    }
    return order < 0;
}

/* Makes the cells of all sides, with their samples. */
void comparison_find_cells(struct comparison *cmp)
{
    for (size_t i = 0; i < cmp->side_count; i++)
        add_trials(cmp, i);
    for (size_t i = 0; i < cmp->cell_count; i++)
        name_cell(cmp, &cmp->cells[i]);
    for (size_t i = 1; i < cmp->cell_count; i++) {
        struct cell moved = cmp->cells[i];
        size_t at = i;
        for (; at > 0 && is_before(cmp, &moved, &cmp->cells[at - 1]); at--)
            cmp->cells[at] = cmp->cells[at - 1];
        cmp->cells[at] = moved;
    }
}
