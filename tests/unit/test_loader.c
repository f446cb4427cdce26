// SPDX-License-Identifier: Apache-2.0
#include "base/loader.h"

#include "tests/support/test.h"

#include <unistd.h>

struct table {
    int beside;
    int options_tell; /* opterr, which getopt has set to 1 */
    __typeof__(getpid) *process;
};

static const struct loader_place places[] = {
    {"getpid", offsetof(struct table, process), false},
    {"opterr", offsetof(struct table, options_tell), true},
    {.symbol = NULL},
};

TEST(a_library_is_loaded_into_the_table)
{
    struct table table = {.beside = 7};
    struct error error;
    assert_int_equal(
        loader_load("libc.so.6", "libc6", places, ERROR_NO_CLIENT_LIBRARY, &table, &error),
        ERROR_NONE);
    assert_int_equal(table.process(), getpid());
    assert_int_equal(table.options_tell, 1);
    assert_int_equal(table.beside, 7);
}

TEST(a_library_that_is_missing_is_named_with_its_package)
{
    struct table table;
    struct error error;
    assert_int_equal(
        loader_load("libnone.so.9", "libnone9", places, ERROR_NO_CLIENT_LIBRARY, &table, &error),
        ERROR_NO_CLIENT_LIBRARY);
    assert_int_equal(error.kind, ERROR_NO_CLIENT_LIBRARY);
    assert_string_equal(error.subject, "libnone.so.9");
    assert_string_equal(error.detail, "it is in the package libnone9");
}

TEST(a_symbol_that_is_missing_is_named)
{
    static const struct loader_place unknown[] = {
        {"getpid", offsetof(struct table, process), false},
        {"get_nothing", offsetof(struct table, process), false},
        {.symbol = NULL},
    };
    struct table table;
    struct error error;
    assert_int_equal(
        loader_load("libc.so.6", "libc6", unknown, ERROR_NO_CLIENT_LIBRARY, &table, &error),
        ERROR_NO_CLIENT_LIBRARY);
    assert_string_equal(error.subject, "libc.so.6");
    assert_string_equal(error.detail, "it has no get_nothing, unlike that of the package libc6");
}
