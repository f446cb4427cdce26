// SPDX-License-Identifier: Apache-2.0
/* The formulas that people are shown for a drain of n clients, against the law that is summed up
 * step by step. */

#include "recipes/registry.h"

#include "tests/support/formula.h"
#include "tests/support/test.h"

#define CLIENTS 64

/* ------------------------------------------------------------------ what a formula comes to */

static double evaluate(const char *text, uint64_t n)
{
    double value = 0;
    assert_true(formula_is_one(text));
    if (!formula_evaluate(text, n, &value))
        fail_msg("nothing is made of '%s'", text);
    return value;
}

TEST(test_formulas_are_evaluated)
{
    assert_true(evaluate("0", 7) == 0);
    assert_true(evaluate("6n - 1", 7) == 41);
    assert_true(evaluate("n(n-1)/2 + 7n - 1", 7) == 69);
    assert_true(evaluate("2n^2 - n + 2", 7) == 93);
    assert_true(evaluate("3n^2/16 + 17n/4 - 2", 8) == 44);
    assert_true(evaluate("(n + 1)^2 - 2 - 3", 3) == 11);
    assert_true(evaluate("n^3 + 2^0", 3) == 28);
}

/* ------------------------------------------------------------------ what zkherd recipes shows */

TEST(test_formulas_are_the_sums_of_the_laws)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        bool is_told = !recipe_has_law(recipe) || recipe->broken;
        assert_true(is_told || formula_is_one(recipe->law.rpcs));
        assert_true(is_told || formula_is_one(recipe->law.notifications));
        for (uint64_t n = 1; n <= CLIENTS; n++)
            assert_true(formulas_are_the_law(recipe, n));
    }
}

TEST(test_a_wrong_text_is_found)
{
    struct recipe recipe = *registry_find("scalable"), sharing = *registry_find("rwlock-curator");
    recipe.law.rpcs = "n^2 + 7n";
    assert_false(formulas_are_the_law(&recipe, 8));
    recipe.law.rpcs = "5n -- 2";
    assert_false(formulas_are_the_law(&recipe, 8));
    recipe.law.rpcs = "in words";
    assert_true(formulas_are_the_law(&recipe, 8));
    recipe.law.notifications = "n";
    assert_false(formulas_are_the_law(&recipe, 8));
    assert_true(formulas_are_the_law(&sharing, 5));
    sharing.law_texts_every = 0;
    assert_false(formulas_are_the_law(&sharing, 5));
}
