// SPDX-License-Identifier: Apache-2.0
/* The formulas of `zkherd recipes` against laws whose formulas are known; tests/golden/recipes has
 * those of the recipes. */

#include "bench/recipes/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

/* Of each step, in the order of enum law_step. */
static void expect(const struct recipe *recipe, enum tally_kind kind, const char *const formulas[4])
{
    struct law_row row = {0};
    assert_true(law_table_row(recipe, kind, &row));
    for (size_t step = 0; step < LAW_STEPS; step++)
        assert_string_equal(row.of[step], formulas[step]);
}

#define FORMULAS(...) ((const char *const[LAW_STEPS]){__VA_ARGS__})

static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t w = view->waiters;
    tally_add(cost, TALLY_CREATE, view->held ? 2 * w * w + 3 * w + 4 : 5);
    tally_add(cost, TALLY_EXISTS, view->held && view->arrivals_since_grant == 0 ? 1 : 0);
    tally_add(cost, TALLY_GET, !view->held && view->releases > 0 ? 2 : 0);
    tally_add(cost, TALLY_NAMES_LISTED, view->held ? 10 + w * w - 3 * w : 0);
}

static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_SET, view->waiters);
    if (view->waiters > 0)
        tally_add(cost, TALLY_EXISTS, view->next_found + 7);
}

TEST(test_the_formulas_are_those_of_the_law)
{
    static const struct recipe invented = {.name = "invented", .law = {arrival, release, "", ""}};
    struct law_row row = {0};
    expect(&invented, TALLY_CREATE, FORMULAS("5", "2W^2 + 3W + 4", "0", "0"));
    expect(&invented, TALLY_EXISTS, FORMULAS("0", "h", "k + 7", "0"));
    expect(&invented, TALLY_GET, FORMULAS("2r", "0", "0", "0"));
    expect(&invented, TALLY_NAMES_LISTED, FORMULAS("0", "W^2 - 3W + 10", "0", "0"));
    expect(&invented, TALLY_SET, FORMULAS("0", "0", "W", "0"));
    expect(&invented, TALLY_DELETE, FORMULAS("0", "0", "1", "1"));
    assert_false(law_table_row(&invented, TALLY_MULTI, &row));
}

/* As a semaphore has it, of which one waiter has the mutex. */
static void arrival_by_cases(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, view->waiters > 0 ? 1 : 2);
    tally_add(cost, TALLY_GET, view->next_found > 2 && view->held ? 1 : 0);
    tally_add(cost, TALLY_SET, view->arrivals_since_grant == 0 && view->releases > 0 ? 1 : 0);
}

static void release_by_cases(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, view->waiters > 0 ? 2 : 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters > 1 ? 3 : view->waiters);
    tally_add(cost, TALLY_EXISTS, view->waiters > 19 ? 1 : 0);
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters > 2 ? view->waiters * view->waiters : 7);
    tally_add(cost, TALLY_NAMES_LISTED,
              view->waiters > 1 ? 2 * view->waiters * view->waiters + view->waiters : 9);
}

TEST(test_what_no_formula_says_is_not_put_in_one)
{
    static const struct recipe cases = {.name = "cases",
                                        .law = {arrival_by_cases, release_by_cases, "", ""}};
    expect(&cases, TALLY_CREATE, FORMULAS("2", "1, 2 at 0", "0", "0"));
    expect(&cases, TALLY_GET, FORMULAS("0", "?", "0", "0"));
    expect(&cases, TALLY_SET, FORMULAS("?", "?", "0", "0"));
    expect(&cases, TALLY_DELETE, FORMULAS("0", "0", "2", "1"));
    expect(&cases, TALLY_NOTIFICATION, FORMULAS("0", "0", "3, 1 at 1", "0"));
    expect(&cases, TALLY_EXISTS, FORMULAS("0", "0", "?", "0"));
    expect(&cases, TALLY_GET_CHILDREN, FORMULAS("0", "0", "?", "7"));
    expect(&cases, TALLY_NAMES_LISTED, FORMULAS("0", "0", "2W^2 + W, 9 at 1", "9"));
}
