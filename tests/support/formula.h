// SPDX-License-Identifier: Apache-2.0
/*
 * formula: the value of a law's text for n clients, and whether it is the law's.
 *
 * The text is for people: "n(n-1)/2 + 7n - 1". Invariant: a text of numbers, n, the signs + - / ^ (
 * ) and spaces, with at least one number or n, is a formula; any other text is words.
 */
#ifndef TESTS_SUPPORT_FORMULA_H
#define TESTS_SUPPORT_FORMULA_H

#include "recipes/recipe.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is a formula, by its characters. */
bool formula_is_one(const char *text);

/* Its value, exact while all denominators are powers of two and no intermediate value exceeds 2^53.
 * False, with *value unchanged, if the formula is malformed. */
bool formula_evaluate(const char *text, uint64_t n, double *value);

/* Whether the law's texts that are formulas come to the sums of its functions for this number of
 * clients. Prints what is wrong. */
bool formulas_are_the_law(const struct recipe *recipe, uint64_t clients);

#endif
