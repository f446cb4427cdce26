// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct grid_column columns[] = {
    {"no", true, false},
    {"name", false, false},
    {"from", false, true},
    {"data", false, true},
};

#define ROW(...) ((const char *const[]){__VA_ARGS__})

static void assert_written(struct grid *grid, unsigned width, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    struct error error;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(grid_write(grid, width, stream, &error), ERROR_NONE);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void columns_are_as_wide_as_what_is_in_them(void **state)
{
    struct grid grid;
    (void)state;
    grid_init(&grid, columns, 4);
    assert_written(&grid, 80, "");
    grid_add(&grid, ROW("1", "a", "here", "-"));
    grid_add(&grid, ROW("1234", "鎖鎖鎖", "x", "y"));
    assert_written(&grid, 80,
                   "  no  name    from  data\n"
                   "   1  a       here  -\n"
                   "1234  鎖鎖鎖  x     y\n");
    grid_deinit(&grid);
}

/* 24 columns: one less than that, and some go below, but for those that are not known. */
static void what_is_too_wide_goes_below(void **state)
{
    struct grid grid;
    (void)state;
    grid_init(&grid, columns, 4);
    grid_add(&grid, ROW("1", "abcdef", "here", "-"));
    grid_add(&grid, ROW("1234", "b", "", "-"));
    grid_add(&grid, ROW("3", "c", "there", "some thing"));
    static const char wide[] = "  no  name    from   data\n"
                               "   1  abcdef  here   -\n"
                               "1234  b              -\n"
                               "   3  c       there  some thing\n";
    static const char narrow[] = "  no  name\n"
                                 "   1  abcdef\n"
                                 "       from here\n"
                                 "1234  b\n"
                                 "   3  c\n"
                                 "       from there, data some thing\n";
    assert_written(&grid, 31, wide);
    assert_written(&grid, 30, narrow);
    grid_deinit(&grid);
}

static void cells_are_made_printable(void **state)
{
    struct grid grid;
    (void)state;
    grid_init(&grid, columns, 4);
    grid_add(&grid, ROW("1", "\x1b[31m\n", "\u202e", "\xff"));
    assert_written(&grid, 80,
                   "no  name          from    data\n"
                   " 1  \\x1b[31m\\x0a  \\u202e  \\xff\n");
    grid_deinit(&grid);
}

static void there_may_be_many_rows(void **state)
{
    struct grid grid;
    (void)state;
    grid_init(&grid, columns, 4);
    for (int i = 0; i < 1000; i++)
        grid_add(&grid, ROW("1", "a", "b", "c"));
    assert_int_equal(grid.row_count, 1000);
    assert_false(grid.out_of_memory);
    grid_deinit(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_what_is_in_them),
        cmocka_unit_test(what_is_too_wide_goes_below),
        cmocka_unit_test(cells_are_made_printable),
        cmocka_unit_test(there_may_be_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
