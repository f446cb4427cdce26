// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/grid.h"

#include "tests/support/test.h"

static const struct grid_column columns[] = {
    {.title = "no", .right = true},
    {.title = "name"},
    {.title = "from", .below = true},
    {.title = "data", .below = true},
};

#define ROW(...) ((const char *const[]){__VA_ARGS__})

static void put(struct grid *grid, const char *const *texts)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        grid_add(grid, "%s", texts[i]);
}

static void assert_written(struct grid *grid, size_t width, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    grid_write(grid, width, stream);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

TEST(columns_are_as_wide_as_what_is_in_them)
{
    struct grid grid;
    grid_init(&grid, columns, 4, 2);
    assert_written(&grid, 80, "");
    put(&grid, ROW("1", "a", "here", "-"));
    put(&grid, ROW("1234", "鎖鎖鎖", "x", "y"));
    assert_written(&grid, 80,
                   "  no  name    from  data\n"
                   "   1  a       here  -\n"
                   "1234  鎖鎖鎖  x     y\n");
    grid_deinit(&grid);
}

/* 24 columns: one less than that, and some go below, but for those that are not known. */
TEST(what_is_too_wide_goes_below)
{
    struct grid grid;
    grid_init(&grid, columns, 4, 2);
    put(&grid, ROW("1", "abcdef", "here", "-"));
    put(&grid, ROW("1234", "b", "", "-"));
    put(&grid, ROW("3", "c", "there", "some thing"));
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

TEST(cells_are_made_printable)
{
    struct grid grid;
    grid_init(&grid, columns, 4, 2);
    put(&grid, ROW("1", "\x1b[31m\n", "\u202e", "\xff"));
    assert_written(&grid, 80,
                   "no  name          from    data\n"
                   " 1  \\x1b[31m\\x0a  \\u202e  \\xff\n");
    grid_deinit(&grid);
}

static const struct grid_column list[] = {
    {.title = "name"},
    {.over = "how", .title = "many", .spare = 1, .right = true},
    {.title = "what", .spare = 2},
    {.title = "n", .right = true},
};

static struct grid make_table(void)
{
    struct grid grid;
    grid_init(&grid, list, 4, 1);
    grid_add(&grid, "a");
    grid_add(&grid, "%d", 12345);
    grid_add(&grid, "%s", "x");
    grid_add(&grid, "7");
    grid_add(&grid, "longer");
    grid_add(&grid, "1");
    grid_add(&grid, "%s", "");
    grid_add(&grid, "2 ");
    return grid;
}

TEST(the_least_important_is_left_out_first)
{
    struct grid grid = make_table();
    assert_true(grid_fit(&grid, 20, 1));
    assert_int_equal(grid_width(&grid), 20);
    assert_true(grid_fit(&grid, 19, 1));
    assert_written(&grid, 80,
                   "         how\n"
                   "name    many  n\n"
                   "a      12345  7\n"
                   "longer     1 2\n");
    assert_false(grid_fit(&grid, 14, 2));
    assert_true(grid_fit(&grid, 14, 1));
    assert_written(&grid, 80,
                   "name    n\n"
                   "a       7\n"
                   "longer 2\n");
    assert_false(grid_fit(&grid, 8, 0));
    grid_deinit(&grid);
}
