// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test.h"

#include <errno.h>

enum { TESTS_MAX = 100, GROUPS_MAX = 4 };

/* A compiler may call constructors in any order, so the line decides. */
static struct CMUnitTest tests[TESTS_MAX];
static int test_lines[TESTS_MAX];
static size_t tests_count;

static struct group {
    const char *name;
    CMFixtureFunction set_up, tear_down;
    int line;
} groups[GROUPS_MAX];
static size_t groups_count;

void test_register(struct CMUnitTest test, int line)
{
    if (tests_count == TESTS_MAX)
        abort();
    size_t place = tests_count++;
    for (; place > 0 && test_lines[place - 1] > line; place--) {
        tests[place] = tests[place - 1];
        test_lines[place] = test_lines[place - 1];
    }
    tests[place] = test;
    test_lines[place] = line;
}

void test_register_group(const char *name, CMFixtureFunction set_up, CMFixtureFunction tear_down,
                         int line)
{
    if (groups_count == GROUPS_MAX)
        abort();
    size_t place = groups_count++;
    for (; place > 0 && groups[place - 1].line > line; place--)
        groups[place] = groups[place - 1];
    groups[place] = (struct group){name, set_up, tear_down, line};
}

int main(void)
{
    if (groups_count == 0)
        groups[groups_count++] = (struct group){program_invocation_short_name, NULL, NULL, 0};
    int failed = 0;
    for (size_t i = 0; i < groups_count; i++)
        failed += _cmocka_run_group_tests(groups[i].name, tests, tests_count, groups[i].set_up,
                                          groups[i].tear_down);
    return failed;
}
