// SPDX-License-Identifier: Apache-2.0
#include "base/fault.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const enum fault_kind kinds[] = {
#define X(name, status, words, advice) FAULT_##name,
    FAULT_LIST(X)
#undef X
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void the_catalogue_is_complete(void **state)
{
    (void)state;
    assert_int_equal(FAULT_NONE, 0);
    assert_int_equal(fault_exit_status(FAULT_NONE), 0);
    for (size_t i = 0; i < KINDS; i++) {
        assert_non_null(fault_words(kinds[i]));
        assert_non_null(fault_advice(kinds[i]));
        assert_int_not_equal(fault_words(kinds[i])[0], '\0');
        if (kinds[i] != FAULT_NONE)
            assert_in_range(fault_exit_status(kinds[i]), 2, 4);
    }
}

/* A person, and a script that looks for words, must be able to tell them apart. */
static void no_two_kinds_have_the_same_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(fault_words(kinds[i]), fault_words(kinds[j]));
    }
}

static void exit_statuses_are_those_of_the_manual(void **state)
{
    (void)state;
    assert_int_equal(fault_exit_status(FAULT_USAGE), 2);
    assert_int_equal(fault_exit_status(FAULT_EXISTS), 2);
    assert_int_equal(fault_exit_status(FAULT_REFUSED), 3);
    assert_int_equal(fault_exit_status(FAULT_NO_SPACE), 3);
    assert_int_equal(fault_exit_status(FAULT_INTERRUPTED), 4);
    assert_int_equal(fault_exit_status(FAULT_SESSION_LOST), 4);
}

static void raising_fills_the_facts(void **state)
{
    (void)state;
    struct fault fault;
    memset(&fault, 0x5a, sizeof fault);
    assert_int_equal(fault_raise(&fault, FAULT_REFUSED, ECONNREFUSED, "127.0.0.1:2181",
                                 "attempt %d of %d", 2, 3),
                     FAULT_REFUSED);
    assert_int_equal(fault.kind, FAULT_REFUSED);
    assert_int_equal(fault.os_error, ECONNREFUSED);
    assert_string_equal(fault.subject, "127.0.0.1:2181");
    assert_string_equal(fault.detail, "attempt 2 of 3");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    struct fault fault;
    fault_raise(&fault, FAULT_USAGE, 0, lengthy, "%s", lengthy);
    assert_int_equal(strlen(fault.subject), sizeof fault.subject - 1);
    assert_int_equal(strlen(fault.detail), sizeof fault.detail - 1);
    fault_raise(&fault, FAULT_USAGE, 0, "%s%n", "100 %%"); /* a subject is no format */
    assert_string_equal(fault.subject, "%s%n");
    assert_string_equal(fault.detail, "100 %");
}

static void errno_finds_its_kind(void **state)
{
    (void)state;
    static const struct {
        int os_error;
        enum fault_kind kind;
    } pairs[] = {
        {ENOSPC, FAULT_NO_SPACE},
        {EDQUOT, FAULT_NO_SPACE},
        {EFBIG, FAULT_NO_SPACE},
        {EACCES, FAULT_DENIED},
        {EPERM, FAULT_DENIED},
        {EROFS, FAULT_DENIED},
        {ENOMEM, FAULT_NO_MEMORY},
        {EEXIST, FAULT_EXISTS},
        {EMFILE, FAULT_NO_DESCRIPTORS},
        {ENFILE, FAULT_NO_DESCRIPTORS},
        {ENOENT, FAULT_SYSTEM},
        {EIO, FAULT_SYSTEM},
        {0, FAULT_SYSTEM},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct fault fault;
        assert_int_equal(fault_from_errno(&fault, pairs[i].os_error, "a.csv", "row %d", 7),
                         pairs[i].kind);
        assert_int_equal(fault.kind, pairs[i].kind);
        assert_int_equal(fault.os_error, pairs[i].os_error);
        assert_string_equal(fault.subject, "a.csv");
        assert_string_equal(fault.detail, "row 7");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_is_complete),
        cmocka_unit_test(no_two_kinds_have_the_same_words),
        cmocka_unit_test(exit_statuses_are_those_of_the_manual),
        cmocka_unit_test(raising_fills_the_facts),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(errno_finds_its_kind),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
