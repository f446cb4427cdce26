// SPDX-License-Identifier: Apache-2.0
/*
 * test: the tests of a program, registered where they are defined, and its main function. Layer:
 * tests/support.
 *
 * A program with a TEST needs no main: test.c has it, and runs the tests in the order of the file.
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Defines a test: TEST(name) { ... }. */
#define TEST(name) TEST_BETWEEN(name, NULL, NULL)

/* Defines a test between a set-up and a tear-down function of cmocka; NULL: none. The test has
 * their void **state. */
#define TEST_BETWEEN(name, set_up, tear_down)                                                      \
    TEST_AS(name, ((struct CMUnitTest){#name, name, set_up, tear_down, NULL}))

/* Defines a test that runs as cmocka is told there. */
#define TEST_AS(name, ...)                                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_register(__VA_ARGS__, __LINE__);                                                      \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/* Defines a set-up or a tear-down function: FIXTURE(name) { ... return 0; }. */
#define FIXTURE(name) static int name(void **state __attribute__((unused)))

/* What to call before the first test and after the last one; NULL: nothing. With several groups all
 * tests run in each of them, in the order of the file. */
#define TEST_GROUP(set_up, tear_down)          TEST_GROUP_AT(set_up, tear_down, __LINE__)
#define TEST_GROUP_AT(set_up, tear_down, line) TEST_GROUP_ON(set_up, tear_down, line)
#define TEST_GROUP_ON(set_up, tear_down, line)                                                     \
    __attribute__((constructor)) static void register_group_##line(void)                           \
    {                                                                                              \
        test_register_group(#set_up, set_up, tear_down, line);                                     \
    }

void test_register(struct CMUnitTest test, int line);
void test_register_group(const char *name, CMFixtureFunction set_up, CMFixtureFunction tear_down,
                         int line);

#endif
