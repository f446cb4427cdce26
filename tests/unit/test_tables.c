// SPDX-License-Identifier: Apache-2.0
/* Files of comma-separated values, and the tables whose columns they are. */
#include "measure/table.h"

#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

static struct csv_reader reader;
static struct error error;

/* ------------------------------------------------------------------ what is written */

static char *text;
static size_t length;
static struct csv csv;

FIXTURE(open_stream)
{
    csv = (struct csv){.stream = open_memstream(&text, &length)};
    return csv.stream == NULL;
}

FIXTURE(close_stream)
{
    fclose(csv.stream);
    free(text);
    return 0;
}

static void assert_written(const char *expected)
{
    fflush(csv.stream);
    assert_string_equal(text, expected);
}

TEST_BETWEEN(a_text_is_quoted_where_it_must_be, open_stream, close_stream)
{
    csv_text(&csv, "plain text; of 100 %");
    csv_text(&csv, "one, two");
    csv_text(&csv, "say \"go\"");
    csv_text(&csv, "two\nlines");
    csv_text(&csv, "back\r");
    csv_text(&csv, "");
    csv_text(&csv, NULL);
    csv_text(&csv, "ß");
    csv_end_row(&csv);
    assert_written("plain text; of 100 %,\"one, two\",\"say \"\"go\"\"\",\"two\nlines\","
                   "\"back\r\",,,ß\n");
}

TEST_BETWEEN(what_is_not_finite_is_empty, open_stream, close_stream)
{
    csv_real(&csv, NAN, 2);
    csv_real(&csv, INFINITY, 2);
    csv_real(&csv, -INFINITY, 2);
    csv_real(&csv, -0.5, 0);
    csv_real(&csv, 1e15, 3);
    csv_end_row(&csv);
    assert_written(",,,-0,1000000000000000.000\n");
}

/* ------------------------------------------------------------------ what is read */

FIXTURE(forget)
{
    csv_reader_deinit(&reader);
    return 0;
}

/* fmemopen refuses to open nothing. */
static enum error_kind read_bytes(const char *bytes, size_t count)
{
    FILE *stream =
        count > 0 ? fmemopen((void *)(uintptr_t)bytes, count, "r") : fopen("/dev/null", "re");
    assert_non_null(stream);
    csv_reader_deinit(&reader);
    enum error_kind kind = csv_reader_init(stream, "t.csv", &reader, &error);
    fclose(stream);
    return kind;
}

static void read_well(const char *bytes)
{
    if (read_bytes(bytes, strlen(bytes)) != ERROR_NONE)
        fail_msg("'%s': %s", bytes, error.detail);
}

static void assert_field(size_t row, size_t column, const char *expected)
{
    assert_string_equal(csv_reader_text(&reader, row, column), expected);
}

TEST_BETWEEN(rows_and_columns, NULL, forget)
{
    size_t column;
    read_well("run,recipe,rpcs\na,scalable,8\nb,,\n");
    assert_int_equal(reader.columns, 3);
    assert_int_equal(reader.rows, 2);
    assert_int_equal(csv_reader_column(&reader, "rpcs", &column, &error), ERROR_NONE);
    assert_int_equal(column, 2);
    assert_field(0, 1, "scalable");
    assert_field(0, 2, "8");
    assert_field(1, 1, "");
    assert_field(1, 2, "");
    assert_int_equal(csv_reader_column(&reader, "gets", &column, &error), ERROR_MALFORMED);
    assert_string_equal(error.detail, "line 1: there is no column called 'gets'");
    read_well("run\n");
    assert_int_equal(reader.rows, 0);
    assert_int_equal(csv_reader_open("/nonexistent/t.csv", &reader, &error), ERROR_SYSTEM);
    assert_int_equal(csv_reader_open("/tmp", &reader, &error), ERROR_SYSTEM); /* a folder */
}

TEST_BETWEEN(ends_of_rows, NULL, forget)
{
    static const char *const texts[] = {"a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\n1,2", "a,b\r\n1,2\r",
                                        "\357\273\277a,b\n1,2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        read_well(texts[i]);
        assert_int_equal(reader.rows, 1);
        assert_string_equal(reader.fields[0], "a");
        assert_string_equal(reader.fields[1], "b");
        assert_field(0, 0, "1");
        assert_field(0, 1, "2");
    }
    read_well("a,b\n1,");
    assert_field(0, 1, "");
    read_well("a\n\n\n");
    assert_int_equal(reader.rows, 2);
}

TEST_BETWEEN(quotes_are_taken_off, NULL, forget)
{
    read_well("\"a\",\"b, c\"\n\"say \"\"go\"\"\",\"two\nlines\"\r\n\"\",\"\"\"\"\n");
    assert_string_equal(reader.fields[1], "b, c");
    assert_field(0, 0, "say \"go\"");
    assert_field(0, 1, "two\nlines");
    assert_field(1, 0, "");
    assert_field(1, 1, "\"");
    assert_int_equal(reader.lines[1], 2);
    assert_int_equal(reader.lines[2], 4); /* the row before it has two lines */
}

TEST_BETWEEN(what_is_malformed_is_told_with_its_line, NULL, forget)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"", "line 1: the file is empty"},
        {"\xEF\xBB\xBF", "line 1: the file is empty"},
        {"a,b\n1,2\n1,2,3\n", "line 3: 3 fields, and not 2"},
        {"a,b\n1,2\n1\n", "line 3: 1 field, and not 2"},
        {"a,b\n\n", "line 2: 1 field, and not 2"},
        {"a,b\n1,\"2\n3,4\n", "line 2: a quote is opened and not closed"},
        {"a,b\n1,2\"3\n", "line 2: a quote inside a field that is not quoted"},
        {"a,b\n\"1\n\"x,2\n", "line 3: something stands behind a closing quote"},
        {"a,b,a\n", "line 1: two columns are called 'a'"},
        {"a,b,b\n", "line 1: two columns are called 'b'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_bytes(cases[i].text, strlen(cases[i].text)), ERROR_MALFORMED);
        assert_string_equal(error.subject, "t.csv");
        assert_string_equal(error.detail, cases[i].told);
        assert_null(reader.text); /* unchanged */
    }
    assert_int_equal(read_bytes("a\n\0\n", 4), ERROR_MALFORMED);
    assert_string_equal(error.detail, "line 1: a zero byte: this is no text");
}

/* ------------------------------------------------------------------ tables */

#define BARRIER_COLUMNS(X, T)                                                                      \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, clients, COUNT, "", 0, KEY, "number of sessions")                                         \
    X(T, seed, COUNT, "", 0, NONE, "of the order")                                                 \
    X(T, leaked, SIGNED, "", 0, SUM, "watches left")                                               \
    X(T, enter_us, REAL, "us", 1, MEDIAN, "from the first request to the last entry")              \
    X(T, valid, FLAG, "", 0, NONE, "whether the measurement is valid")                             \
    X(T, complete, FLAG, "", 0, PRIVATE, "whether the trial ran to its end")
TABLE_DECLARE(barriers, BARRIER_COLUMNS);
TABLE_DEFINE(barriers, "barriers.csv", BARRIER_COLUMNS)

static struct table table;
static char folder[] = P_tmpdir "/test_tables.XXXXXX";

FIXTURE(make)
{
    table = (struct table){.type = &barriers_table};
    return 0;
}

FIXTURE(clear)
{
    table_deinit(&table);
    return 0;
}

FIXTURE(make_folder)
{
    return mkdtemp(folder) == NULL;
}

FIXTURE(remove_folder)
{
    return rmdir(folder);
}

static struct table_value *add(const char *recipe, uint64_t clients, double enter_us, bool valid)
{
    struct table_value *row = table_add(&table);
    row[barriers_recipe] = table_text(recipe);
    row[barriers_clients] = table_count(clients);
    row[barriers_enter_us] = table_real(enter_us);
    row[barriers_valid] = table_flag(valid);
    row[barriers_complete] = table_flag(true);
    return row;
}

static const char *written(void)
{
    static char rows[1000];
    FILE *stream = fmemopen(rows, sizeof rows, "w");
    struct csv into = {.stream = stream};
    table_write_header(table.type, &into);
    for (size_t row = 0; row < table.rows; row++)
        table_write_row(table.type, table_row(&table, row), &into);
    fclose(stream);
    return rows;
}

static enum error_kind read_from(const char *rows)
{
    char path[200];
    snprintf(path, sizeof path, "%s/barriers.csv", folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(rows, stream);
    fclose(stream);
    enum error_kind kind = table_read(&table, folder, &error);
    unlink(path);
    return kind;
}

TEST_BETWEEN(a_row_is_written_by_its_columns_and_read_again, make, clear)
{
    char rows[1000];
    add("double,barrier", 8, 1412.36, true)[barriers_leaked] = table_signed(-2);
    add("b", 16, INFINITY, false)[barriers_seed] = table_count(INT64_MAX);
    strcpy(rows, written());
    assert_string_equal(rows, "run,recipe,clients,seed,leaked,enter_us,valid\n"
                              ",\"double,barrier\",8,,-2,1412.4,yes\n"
                              ",b,16,9223372036854775807,,,no\n");
    table_deinit(&table);
    assert_int_equal(read_from(rows), ERROR_NONE);
    assert_int_equal(table.rows, 2);
    assert_int_equal(table_row(&table, 1)[barriers_enter_us].kind, TABLE_UNKNOWN);
    assert_int_equal(table_row(&table, 1)[barriers_seed].count, INT64_MAX);
    assert_int_equal(table_row(&table, 0)[barriers_leaked].number, -2);
    assert_true(table_row(&table, 0)[barriers_valid].flag);
    assert_string_equal(table_row(&table, 0)[barriers_run].text, "");
}

/* An older file may lack a column, a newer one may have more. */
TEST_BETWEEN(columns_are_found_by_name, make, clear)
{
    assert_int_equal(table_read(&table, folder, &error), ERROR_NONE); /* there is no file */
    assert_int_equal(table.rows, 0);
    assert_int_equal(read_from("new,clients\n1,8\n"), ERROR_NONE);
    assert_int_equal(table_row(&table, 0)[barriers_clients].count, 8);
    assert_int_equal(table_row(&table, 0)[barriers_recipe].kind, TABLE_UNKNOWN);
}

TEST_BETWEEN(what_is_of_another_kind_is_refused, make, clear)
{
    static const char *const refused[] = {
        "clients\n8x\n",  "clients\n-8\n",   "clients\n 8\n",   "clients\n18446744073709551616\n",
        "leaked\n1.5\n",  "enter_us\ninf\n", "enter_us\n0x1\n", "enter_us\n1ms\n",
        "valid\nmaybe\n",
    };
    add("kept", 8, 1, true);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(read_from(refused[i]), ERROR_MALFORMED);
        assert_int_equal(table.rows, 1);
    }
}

/* Trials come in a random order. */
TEST_BETWEEN(cells_are_in_the_order_of_their_keys, make, clear)
{
    static const size_t keys[] = {barriers_recipe, barriers_clients};
    add("b", 16, 1, true);
    add("a", 8, 2, true);
    add("b", 8, 3, true);
    add("b", 16, 4, true);
    struct table_cells cells = table_group(&table, keys, 2);
    assert_int_equal(cells.count, 3);
    assert_string_equal(table_cell_value(&cells.list[0], barriers_recipe)->text, "b");
    assert_int_equal(table_cell_value(&cells.list[0], barriers_clients)->count, 8);
    assert_int_equal(cells.list[1].count, 2);
    assert_int_equal(cells.list[1].rows[1], 3);
    assert_string_equal(table_cell_value(&cells.list[2], barriers_recipe)->text, "a");
    table_cells_deinit(&cells);
}

TEST_BETWEEN(a_figure_is_over_the_rows_that_count, make, clear)
{
    static const size_t keys[] = {barriers_recipe};
    add("a", 8, 1, true);
    add("a", 8, 100, false);
    add("a", 8, 4, true);
    add("a", 8, NAN, true);
    add("a", 8, 10, true);
    struct table_cells cells = table_group(&table, keys, 1);
    const struct table_cell *cell = &cells.list[0];
    assert_int_equal(table_cell_flags(cell, barriers_valid), 4);
    assert_true(table_cell_median(cell, barriers_enter_us, barriers_valid) == 4);
    assert_true(table_cell_median(cell, barriers_enter_us, TABLE_ALL) == 7);
    assert_true(table_cell_sum(cell, barriers_enter_us, barriers_valid) == 15);
    assert_true(isnan(table_cell_median(cell, barriers_leaked, TABLE_ALL)));
    table_cells_deinit(&cells);
}

TEST_BETWEEN(a_median_is_of_values_in_range, make, clear)
{
    static const size_t keys[] = {barriers_recipe};
    add("a", 8, 2, true);
    add("a", 8, INFINITY, true);
    add("a", 8, 4, true);
    struct table_cells cells = table_group(&table, keys, 1);
    assert_true(table_cell_median(&cells.list[0], barriers_enter_us, barriers_valid) == 3);
    table_cells_deinit(&cells);
}

/* A mean of the others would be too low. */
TEST_BETWEEN(a_mean_needs_every_value, make, clear)
{
    static const size_t keys[] = {barriers_clients};
    for (int i = 0; i < 4; i++)
        add("a", 8, i < 2 ? 2 : 8, true);
    struct table_cells cells = table_group(&table, keys, 1);
    struct interval mean = table_cell_geometric(&cells.list[0], barriers_enter_us, TABLE_ALL);
    assert_true(fabs(mean.value - 4) < 1e-9 && isnan(mean.low));
    table_cells_deinit(&cells);
    add("a", 8, 4, true);
    cells = table_group(&table, keys, 1);
    mean = table_cell_geometric(&cells.list[0], barriers_enter_us, TABLE_ALL);
    assert_true(fabs(mean.value - 4) < 1e-9 && mean.low > 1 && mean.high < 16);
    table_cells_deinit(&cells);
    add("a", 8, INFINITY, true);
    cells = table_group(&table, keys, 1);
    mean = table_cell_geometric(&cells.list[0], barriers_enter_us, TABLE_ALL);
    assert_true(!isfinite(mean.value));
    table_cells_deinit(&cells);
}

TEST_GROUP(make_folder, remove_folder)
