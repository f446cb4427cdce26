// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct column list[] = {
    {.over = "", .title = "name", .left = true},
    {.over = "how", .title = "many", .spare = 1},
    {.over = "", .title = "what", .left = true, .spare = 2},
    {.over = "", .title = "n"},
};

static struct columns make_table(void)
{
    struct columns columns;
    columns_init(&columns, list, 4);
    columns_put(&columns, "a");
    columns_put(&columns, "%d", 12345);
    columns_put(&columns, "%s", "x");
    columns_put(&columns, "7");
    columns_put(&columns, "longer");
    columns_put(&columns, "1");
    columns_put(&columns, "%s", "");
    columns_put(&columns, "2 ");
    return columns;
}

static void assert_written(const struct columns *columns, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    struct error error;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(columns_write(columns, stream, &error), ERROR_NONE);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void columns_are_as_wide_as_what_stands_in_them(void **state)
{
    (void)state;
    struct columns columns = make_table();
    assert_int_equal(columns_width(&columns), 20);
    assert_written(&columns, "         how\n"
                             "name    many what  n\n"
                             "a      12345 x     7\n"
                             "longer     1      2\n");
    columns_deinit(&columns);
}

static void the_least_important_is_left_out_first(void **state)
{
    (void)state;
    struct columns columns = make_table();
    assert_true(columns_fit(&columns, 20, 1));
    assert_int_equal(columns_width(&columns), 20);
    assert_true(columns_fit(&columns, 19, 1));
    assert_written(&columns, "         how\n"
                             "name    many  n\n"
                             "a      12345  7\n"
                             "longer     1 2\n");
    assert_false(columns_fit(&columns, 14, 2));
    assert_true(columns_fit(&columns, 14, 1));
    assert_written(&columns, "name    n\n"
                             "a       7\n"
                             "longer 2\n");
    assert_false(columns_fit(&columns, 8, 0));
    columns_deinit(&columns);
}

static void a_text_that_is_too_long_is_cut(void **state)
{
    (void)state;
    struct columns columns;
    columns_init(&columns, &list[3], 1);
    columns_put(&columns, "%0100d", 1);
    assert_int_equal(columns_width(&columns), COLUMNS_CELL_SIZE - 1);
    columns_deinit(&columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_what_stands_in_them),
        cmocka_unit_test(the_least_important_is_left_out_first),
        cmocka_unit_test(a_text_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
