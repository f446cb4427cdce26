// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include "tests/support/test.h"

#include <errno.h>

static const enum error_kind kinds[] = {
#define X(name, status, words, advice) ERROR_##name,
    ERROR_LIST(X)
#undef X
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

TEST(the_catalogue_is_complete)
{
    assert_int_equal(ERROR_NONE, 0);
    assert_int_equal(error_exit_status(ERROR_NONE), 0);
    for (size_t i = 0; i < KINDS; i++) {
        assert_non_null(error_words(kinds[i]));
        assert_non_null(error_advice(kinds[i]));
        assert_int_not_equal(error_words(kinds[i])[0], '\0');
        if (kinds[i] != ERROR_NONE)
            assert_in_range(error_exit_status(kinds[i]), 2, 4);
    }
}

/* A person, and a script that looks for words, must be able to tell them apart. */
TEST(no_two_kinds_have_the_same_words)
{
    for (size_t i = 0; i < KINDS; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(error_words(kinds[i]), error_words(kinds[j]));
    }
}

TEST(long_texts_are_cut)
{
    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    struct error error;
    error_raise(&error, ERROR_USAGE, 0, lengthy, "%s", lengthy);
    assert_int_equal(strlen(error.subject), sizeof error.subject - 1);
    assert_int_equal(strlen(error.detail), sizeof error.detail - 1);
    error_raise(&error, ERROR_USAGE, 0, "%s%n", "100 %%"); /* a subject is no format */
    assert_string_equal(error.subject, "%s%n");
    assert_string_equal(error.detail, "100 %");
}

TEST(errno_finds_its_kind)
{
    static const struct {
        int os_error;
        enum error_kind kind;
    } pairs[] = {
        {ENOSPC, ERROR_NO_SPACE},
        {EDQUOT, ERROR_NO_SPACE},
        {EFBIG, ERROR_NO_SPACE},
        {EACCES, ERROR_DENIED},
        {EPERM, ERROR_DENIED},
        {EROFS, ERROR_DENIED},
        {ENOMEM, ERROR_NO_MEMORY},
        {EEXIST, ERROR_EXISTS},
        {EMFILE, ERROR_NO_DESCRIPTORS},
        {ENFILE, ERROR_NO_DESCRIPTORS},
        {ENOENT, ERROR_SYSTEM},
        {EIO, ERROR_SYSTEM},
        {0, ERROR_SYSTEM},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct error error;
        assert_int_equal(error_from_errno(&error, pairs[i].os_error, "a.csv", "row %d", 7),
                         pairs[i].kind);
        assert_int_equal(error.kind, pairs[i].kind);
        assert_int_equal(error.os_error, pairs[i].os_error);
        assert_string_equal(error.subject, "a.csv");
        assert_string_equal(error.detail, "row 7");
    }
}
