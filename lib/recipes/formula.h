// SPDX-License-Identifier: Apache-2.0
/*
 * formula: the value of a law's text for n clients. Layer: recipes.
 *
 * The text is for people: "n(n-1)/2 + 7n - 1". Invariant: a text of numbers, n, the signs + - / ^ (
 * ) and spaces, with at least one number or n, is a formula; any other text is words.
 */
#ifndef RECIPES_FORMULA_H
#define RECIPES_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is a formula, by its characters. */
bool formula_is_one(const char *text);

/* Its value, exact while all denominators are powers of two and no intermediate value exceeds 2^53.
 * False, with *value unchanged, if the formula is malformed. */
bool formula_evaluate(const char *text, uint64_t n, double *value);

#endif
