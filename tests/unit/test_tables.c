// SPDX-License-Identifier: Apache-2.0
#include "measure/table.h"

#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

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
    static char text[1000];
    FILE *stream = fmemopen(text, sizeof text, "w");
    struct csv csv = {.stream = stream};
    table_write_header(table.type, &csv);
    for (size_t row = 0; row < table.rows; row++)
        table_write_row(table.type, table_row(&table, row), &csv);
    fclose(stream);
    return text;
}

static enum error_kind read_from(const char *text, struct error *error)
{
    char path[200];
    snprintf(path, sizeof path, "%s/barriers.csv", folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    enum error_kind kind = table_read(&table, folder, error);
    unlink(path);
    return kind;
}

TEST_BETWEEN(a_row_is_written_by_its_columns, make, clear)
{
    struct table_value *row = add("double,barrier", 8, 1412.36, true);
    row[barriers_leaked] = table_signed(-2);
    add("b", 16, INFINITY, false)[barriers_seed] = table_count(INT64_MAX);
    assert_string_equal(written(), "run,recipe,clients,seed,leaked,enter_us,valid\n"
                                   ",\"double,barrier\",8,,-2,1412.4,yes\n"
                                   ",b,16,9223372036854775807,,,no\n");
}

TEST_BETWEEN(what_is_written_is_read_again, make, clear)
{
    struct error error;
    char text[1000];
    add("a", 8, 1412.3, true)[barriers_leaked] = table_signed(-2);
    add("b", 16, NAN, false)[barriers_seed] = table_count(INT64_MAX);
    strcpy(text, written());
    table_deinit(&table);
    assert_int_equal(read_from(text, &error), ERROR_NONE);
    assert_int_equal(table.rows, 2);
    assert_int_equal(table_row(&table, 1)[barriers_enter_us].kind, TABLE_UNKNOWN);
    assert_int_equal(table_row(&table, 1)[barriers_seed].count, INT64_MAX);
    assert_int_equal(table_row(&table, 0)[barriers_leaked].number, -2);
    assert_true(table_row(&table, 0)[barriers_valid].flag);
    assert_string_equal(table_row(&table, 0)[barriers_run].text, "");
    table_deinit(&table);
}

/* An older file may lack a column, a newer one may have more. */
TEST_BETWEEN(columns_are_found_by_name, make, clear)
{
    struct error error;
    assert_int_equal(read_from("new,clients\n1,8\n", &error), ERROR_NONE);
    assert_int_equal(table_row(&table, 0)[barriers_clients].count, 8);
    assert_int_equal(table_row(&table, 0)[barriers_recipe].kind, TABLE_UNKNOWN);
}

TEST_BETWEEN(a_file_that_does_not_exist_has_no_row, make, clear)
{
    struct error error;
    assert_int_equal(table_read(&table, folder, &error), ERROR_NONE);
    assert_int_equal(table.rows, 0);
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
        struct error error;
        assert_int_equal(read_from(refused[i], &error), ERROR_MALFORMED);
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
