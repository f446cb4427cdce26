// SPDX-License-Identifier: Apache-2.0
/*
 * table: rows of figures whose columns are declared once. Layer: measure.
 *
 * A list of columns X(T, name, kind, unit, decimals, summary, meaning) is a file's layout. From it
 * come the row in memory, the CSV file as it is written and read again, the grouping of trials into
 * cells, what a cell's figure is, and the description in docs/files.md (make docs):
 *
 *     #define BARRIER_COLUMNS(X, T)                                                            \
 *         X(T, clients, COUNT, "", 0, KEY, "number of sessions")                               \
 *         X(T, enter_us, REAL, "us", 1, MEDIAN, "from the first request to the last entry")
 *     TABLE_DECLARE(barriers, BARRIER_COLUMNS);                  in the header
 *     TABLE_DEFINE(barriers, "barriers.csv", BARRIER_COLUMNS)    in one file
 *
 *     struct table_value *row = table_add(&table);
 *     row[barriers_clients] = table_count(8);
 *     row[barriers_enter_us] = table_real(1412.3);
 *
 * Invariant: every row has a value for each column, TABLE_UNKNOWN where there is none; a text is
 * the table's own. The time and the place of rows do not matter: a cell is found by its keys.
 */
#ifndef MEASURE_TABLE_H
#define MEASURE_TABLE_H

#include "base/error.h"
#include "measure/csv.h"
#include "measure/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FLAG is written as yes or no. */
enum table_kind { TABLE_UNKNOWN, TABLE_TEXT, TABLE_COUNT, TABLE_SIGNED, TABLE_REAL, TABLE_FLAG };

/* What becomes of the trials of a cell: KEY is equal in all of them, EXACT is a count that is equal
 * in all of them or a finding. PRIVATE: the column is in memory alone. */
enum table_summary {
    TABLE_NONE,
    TABLE_KEY,
    TABLE_EXACT,
    TABLE_MEDIAN,
    TABLE_GEOMETRIC,
    TABLE_SUM,
    TABLE_PRIVATE
};

struct table_column {
    const char *name;
    enum table_kind kind;
    const char *unit;
    int decimals;
    enum table_summary summary;
    const char *meaning; /* one sentence without a full stop, as in docs/files.md */
};

struct table_type {
    const char *file; /* its name in a folder of results */
    const struct table_column *columns;
    size_t count;
};

#define TABLE_DECLARE(type, COLUMNS)                                                               \
    enum type##_column{COLUMNS(TABLE_ENUMERATE, type) type##_columns_count};                       \
    extern const struct table_type type##_table
#define TABLE_ENUMERATE(type, name, kind, unit, decimals, summary, meaning) type##_##name,

#define TABLE_DESCRIBE(type, name, kind, unit, decimals, summary, meaning)                         \
    {#name, TABLE_##kind, unit, decimals, TABLE_##summary, meaning},

#define TABLE_DEFINE(type, file, COLUMNS)                                                          \
    static const struct table_column type##_list[] = {COLUMNS(TABLE_DESCRIBE, type)};              \
    const struct table_type type##_table = {file, type##_list, type##_columns_count};

struct table_value {
    enum table_kind kind;
    union {
        char *text;
        uint64_t count;
        int64_t number;
        double real; /* any: what is not finite is an empty field */
        bool flag;
    };
};

/* ------------------------------------------------------------------ values */

/* A copy of the text; NULL is unknown. */
struct table_value table_text(const char *text);
struct table_value table_count(uint64_t count);
struct table_value table_hex(int64_t number); /* a text, 0x and hexadecimal digits; 0: unknown */
struct table_value table_count_if(bool known, uint64_t count);
struct table_value table_signed(int64_t number);
struct table_value table_real(double real);
struct table_value table_flag(bool flag);

/* Fills three columns that stand together: the value, its lower end and its upper end. */
void table_put_interval(struct table_value *first, const struct interval *interval);

/* A value as a number: NaN if it is unknown or a text; a flag is 0 or 1. */
double table_number(const struct table_value *value);

/* Whether two values are equal: texts, numbers by value, or both unknown. */
bool table_equal(const struct table_value *a, const struct table_value *b);

/* ------------------------------------------------------------------ rows */

struct table {
    const struct table_type *type;
    struct table_value *values; /* rows × type->count */
    size_t rows;
};

const struct table_value *table_row(const struct table *table, size_t row);

/* Adds a row of unknown values, which the caller fills; it moves with the next call.
 * table_move_last moves the last row to the end of another table of the same type, table_truncate
 * drops the rows behind the first `kept`. */
struct table_value *table_add(struct table *table);
void table_move_last(struct table *from, struct table *to);
void table_truncate(struct table *table, size_t kept);

/* Frees the rows; the type stays. Does nothing if *table is all zero bytes. */
void table_deinit(struct table *table);

/* Without the columns that are private. decimals: of a real number. */
void table_write_header(const struct table_type *type, struct csv *csv);
void table_write_row(const struct table_type *type, const struct table_value *row, struct csv *csv);
void table_write_rows(const struct table *table, struct csv *csv);
void table_write_value(const struct table_value *value, int decimals, struct csv *csv);

/* Appends the rows of folder/file. A column that the file lacks is unknown; one that the type lacks
 * is skipped. A file that does not exist has no row. ERROR_MALFORMED for a field that is not of its
 * column's kind, and the errors of reading; then *table is as before. */
MUST_CHECK enum error_kind table_read(struct table *table, const char *folder, struct error *error);

/* ------------------------------------------------------------------ cells */

/* The rows with equal keys: `rows` are indices, in ascending order. */
struct table_cell {
    const struct table *table;
    size_t *rows;
    size_t count;
};

struct table_cells {
    struct table_cell *list;
    size_t count;
};

/* The cells by these columns, in ascending order of the first key, then of the second, and so on:
 * numbers by value, texts by their first row. Ends with table_cells_deinit. */
struct table_cells table_group(const struct table *table, const size_t *keys, size_t key_count);
void table_cells_deinit(struct table_cells *cells);

/* The value of a column in the first row, for keys; and the number of rows that have a flag. */
const struct table_value *table_cell_value(const struct table_cell *cell, size_t column);
size_t table_cell_flags(const struct table_cell *cell, size_t flag);

/* Over the rows that have this flag; over all rows where `flag` is TABLE_ALL. Unknown values are
 * left out; of the rest the median, which leaves out what is not finite as well. NaN without any.
 */
#define TABLE_ALL SIZE_MAX
double table_cell_median(const struct table_cell *cell, size_t column, size_t flag);
double table_cell_sum(const struct table_cell *cell, size_t column, size_t flag);

/* The geometric mean with its 95 % interval, from STATISTICS_TRIALS_MIN values on; a value above
 * its range (infinite) makes the mean none. Of a column, and of any values. */
struct interval table_cell_geometric(const struct table_cell *cell, size_t column, size_t flag);
struct interval table_geometric(const double *values, size_t count);

/* The known values of a column, unsorted; `values` has room for cell->count. Returns how many. */
size_t table_cell_values(const struct table_cell *cell, size_t column, size_t flag, double *values);

#endif
