// SPDX-License-Identifier: Apache-2.0
#include "measure/table.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

/* ------------------------------------------------------------------ values */

struct table_value table_text(const char *text)
{
    if (text == NULL)
        return (struct table_value){0};
    return (struct table_value){.kind = TABLE_TEXT, .text = memory_text(text)};
}

struct table_value table_hex(int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)number);
    return table_text(number != 0 ? text : NULL);
}

struct table_value table_count(uint64_t count)
{
    return (struct table_value){.kind = TABLE_COUNT, .count = count};
}

struct table_value table_count_if(bool known, uint64_t count)
{
    return known ? table_count(count) : (struct table_value){0};
}

struct table_value table_signed(int64_t number)
{
    return (struct table_value){.kind = TABLE_SIGNED, .number = number};
}

struct table_value table_real(double real)
{
    return (struct table_value){.kind = TABLE_REAL, .real = real};
}

struct table_value table_flag(bool flag)
{
    return (struct table_value){.kind = TABLE_FLAG, .flag = flag};
}

void table_put_interval(struct table_value *first, const struct interval *interval)
{
    first[0] = table_real(interval->value);
    first[1] = table_real(interval->low);
    first[2] = table_real(interval->high);
}

double table_number(const struct table_value *value)
{
    switch (value->kind) {
    case TABLE_COUNT:
        return (double)value->count;
    case TABLE_SIGNED:
        return (double)value->number;
    case TABLE_REAL:
        return value->real;
    case TABLE_FLAG:
        return value->flag;
    case TABLE_UNKNOWN:
    case TABLE_TEXT:
        break;
    }
    return NAN;
}

/* ------------------------------------------------------------------ rows */

struct table_value *table_add(struct table *table)
{
    size_t size = table->type->count * sizeof *table->values;
    table->values = memory_grow(table->values, table->rows, size);
    struct table_value *row = &table->values[table->rows++ * table->type->count];
    memset(row, 0, size);
    return row;
}

const struct table_value *table_row(const struct table *table, size_t row)
{
    return &table->values[row * table->type->count];
}

void table_truncate(struct table *table, size_t kept)
{
    for (size_t i = kept * table->type->count; i < table->rows * table->type->count; i++) {
        if (table->values[i].kind == TABLE_TEXT)
            free(table->values[i].text);
    }
    table->rows = kept;
}

void table_move_last(struct table *from, struct table *to)
{
    size_t size = from->type->count * sizeof *from->values;
    memcpy(table_add(to), table_row(from, from->rows - 1), size);
    from->rows--;
}

void table_deinit(struct table *table)
{
    if (table->rows > 0)
        table_truncate(table, 0);
    free(table->values);
    table->values = NULL;
}

void table_write_header(const struct table_type *type, struct csv *csv)
{
    for (size_t i = 0; i < type->count; i++) {
        if (type->columns[i].summary != TABLE_PRIVATE)
            csv_text(csv, type->columns[i].name);
    }
    csv_end_row(csv);
}

void table_write_value(const struct table_value *value, int decimals, struct csv *csv)
{
    switch (value->kind) {
    case TABLE_UNKNOWN:
        csv_text(csv, NULL);
        break;
    case TABLE_TEXT:
        csv_text(csv, value->text);
        break;
    case TABLE_COUNT:
        csv_count(csv, value->count);
        break;
    case TABLE_SIGNED:
        csv_signed(csv, value->number);
        break;
    case TABLE_REAL:
        csv_real(csv, value->real, decimals);
        break;
    case TABLE_FLAG:
        csv_text(csv, value->flag ? "yes" : "no");
        break;
    }
}

void table_write_row(const struct table_type *type, const struct table_value *row, struct csv *csv)
{
    for (size_t i = 0; i < type->count; i++) {
        if (type->columns[i].summary != TABLE_PRIVATE)
            table_write_value(&row[i], type->columns[i].decimals, csv);
    }
    csv_end_row(csv);
}

void table_write_rows(const struct table *table, struct csv *csv)
{
    for (size_t i = 0; i < table->rows; i++)
        table_write_row(table->type, table_row(table, i), csv);
}

/* ------------------------------------------------------------------ reading */

/* By the kind of its column; an empty field is unknown, but for a text. False: it is malformed. */
static bool parse(const char *field, enum table_kind kind, struct table_value *value)
{
    char *end = NULL;
    *value = kind == TABLE_TEXT ? table_text(field) : (struct table_value){0};
    if (kind == TABLE_TEXT || *field == '\0')
        return true;
    value->kind = kind;
    errno = 0;
    switch (kind) {
    case TABLE_FLAG:
        value->flag = strcmp(field, "yes") == 0;
        return value->flag || strcmp(field, "no") == 0;
    case TABLE_COUNT:
        value->count = strtoull(field, &end, 10);
        return *end == '\0' && errno == 0 && *field >= '0' && *field <= '9';
    case TABLE_SIGNED:
        value->number = strtoll(field, &end, 10);
        return *end == '\0' && errno == 0;
    default:
        value->real = strtod(field, &end);
        return *end == '\0' && isfinite(value->real) && strpbrk(field, "xXpP ") == NULL;
    }
}

static enum error_kind read_column(struct table *table, size_t column, size_t first,
                                   const struct csv_reader *reader, struct error *error)
{
    static const char *const expected[] = {
        [TABLE_COUNT] = "is not a whole number of at least 0",
        [TABLE_SIGNED] = "is not a whole number",
        [TABLE_REAL] = "is not a number",
        [TABLE_FLAG] = "is neither yes nor no",
    };
    const struct table_column *described = &table->type->columns[column];
    size_t field;
    struct error missing;
    if (described->summary == TABLE_PRIVATE ||
        csv_reader_column(reader, described->name, &field, &missing) != ERROR_NONE)
        return ERROR_NONE;
    for (size_t row = 0; row < reader->rows; row++) {
        struct table_value *value = &table->values[(first + row) * table->type->count + column];
        if (!parse(csv_reader_text(reader, row, field), described->kind, value))
            return csv_reader_refuse(reader, row, field, expected[described->kind], error);
    }
    return ERROR_NONE;
}

enum error_kind table_read(struct table *table, const char *folder, struct error *error)
{
    char path[PATH_MAX];
    struct csv_reader reader;
    size_t first = table->rows;
    snprintf(path, sizeof path, "%s/%s", folder, table->type->file);
    enum error_kind kind = csv_reader_open(path, &reader, error);
    if (kind != ERROR_NONE)
        return error->os_error == ENOENT ? ERROR_NONE : kind;
    for (size_t row = 0; row < reader.rows; row++)
        table_add(table);
    for (size_t i = 0; kind == ERROR_NONE && i < table->type->count; i++)
        kind = read_column(table, i, first, &reader, error);
    if (kind != ERROR_NONE)
        table_truncate(table, first);
    csv_reader_deinit(&reader);
    return kind;
}

/* ------------------------------------------------------------------ cells */

bool table_equal(const struct table_value *a, const struct table_value *b)
{
    if (a->kind == TABLE_TEXT && b->kind == TABLE_TEXT)
        return strcmp(a->text, b->text) == 0;
    return a->kind == b->kind && (a->kind == TABLE_UNKNOWN || table_number(a) == table_number(b));
}

static bool belongs(const struct table_cell *cell, size_t row, const size_t *keys, size_t key_count)
{
    for (size_t k = 0; k < key_count; k++) {
        if (!table_equal(table_cell_value(cell, keys[k]), &table_row(cell->table, row)[keys[k]]))
            return false;
    }
    return true;
}

/* Unknown is below all numbers; different texts are in the order of their first rows. */
static bool is_before(const struct table_cell *a, const struct table_cell *b, const size_t *keys,
                      size_t key_count)
{
    for (size_t k = 0; k < key_count; k++) {
        const struct table_value *of_a = table_cell_value(a, keys[k]),
                                 *of_b = table_cell_value(b, keys[k]);
        if (table_equal(of_a, of_b))
            continue;
        if (of_a->kind != TABLE_TEXT || of_b->kind != TABLE_TEXT)
            return of_a->kind == TABLE_UNKNOWN || table_number(of_a) < table_number(of_b);
        const struct table_value *first = table_row(a->table, 0) + keys[k];
        while (!table_equal(first, of_a) && !table_equal(first, of_b))
            first += a->table->type->count;
        return table_equal(first, of_a);
    }
    return false;
}

struct table_cells table_group(const struct table *table, const size_t *keys, size_t key_count)
{
    struct table_cells cells = {0};
    for (size_t row = 0; row < table->rows; row++) {
        size_t at = 0;
        while (at < cells.count && !belongs(&cells.list[at], row, keys, key_count))
            at++;
        if (at == cells.count) {
            cells.list = memory_grow(cells.list, cells.count++, sizeof *cells.list);
            cells.list[at] = (struct table_cell){.table = table};
        }
        struct table_cell *cell = &cells.list[at];
        cell->rows = memory_grow(cell->rows, cell->count, sizeof *cell->rows);
        cell->rows[cell->count++] = row;
    }
    for (size_t i = 1; i < cells.count; i++) {
        struct table_cell moved = cells.list[i];
        size_t at = i;
        for (; at > 0 && is_before(&moved, &cells.list[at - 1], keys, key_count); at--)
            cells.list[at] = cells.list[at - 1];
        cells.list[at] = moved;
    }
    return cells;
}

void table_cells_deinit(struct table_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        free(cells->list[i].rows);
    free(cells->list);
    *cells = (struct table_cells){0};
}

const struct table_value *table_cell_value(const struct table_cell *cell, size_t column)
{
    return &table_row(cell->table, cell->rows[0])[column];
}

static bool has_flag(const struct table_cell *cell, size_t index, size_t flag)
{
    return flag == TABLE_ALL || table_row(cell->table, cell->rows[index])[flag].flag;
}

size_t table_cell_flags(const struct table_cell *cell, size_t flag)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++)
        count += has_flag(cell, i, flag);
    return count;
}

/* NaN: the row lacks the flag, or its value is unknown. */
static double number_of(const struct table_cell *cell, size_t index, size_t column, size_t flag)
{
    return has_flag(cell, index, flag)
               ? table_number(table_row(cell->table, cell->rows[index]) + column)
               : NAN;
}

size_t table_cell_values(const struct table_cell *cell, size_t column, size_t flag, double *values)
{
    size_t found = 0;
    for (size_t i = 0; i < cell->count; i++) {
        values[found] = number_of(cell, i, column, flag);
        found += isnan(values[found]) ? 0 : 1;
    }
    return found;
}

double table_cell_median(const struct table_cell *cell, size_t column, size_t flag)
{
    double *values = memory_new(cell->count, sizeof *values);
    size_t found = table_cell_values(cell, column, flag, values);
    statistics_sort(values, found);
    while (found > 0 && isinf(values[found - 1])) /* above its range */
        found--;
    double median = statistics_median(values, found);
    free(values);
    return median;
}

double table_cell_sum(const struct table_cell *cell, size_t column, size_t flag)
{
    double sum = 0;
    for (size_t i = 0; i < cell->count; i++) {
        double value = number_of(cell, i, column, flag);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

struct interval table_geometric(const double *values, size_t count)
{
    struct interval mean = statistics_interval_of_logs(values, count, CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        mean.low = mean.high = NAN;
    return mean;
}

struct interval table_cell_geometric(const struct table_cell *cell, size_t column, size_t flag)
{
    double *values = memory_new(cell->count, sizeof *values);
    size_t found = table_cell_values(cell, column, flag, values);
    struct interval mean = table_geometric(values, found);
    free(values);
    return mean;
}
