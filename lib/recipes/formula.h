// SPDX-License-Identifier: Apache-2.0
/*
 * formula: what a law's text comes to for n clients. Layer: recipes.
 *
 * The text is for people: "n(n-1)/2 + 7n - 1". It is a formula if it is made of numbers, n, the
 * signs + - / ^ ( ) and spaces, with a number or an n among them; any other text is words.
 */
#ifndef RECIPES_FORMULA_H
#define RECIPES_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is to be a formula, and not words. */
bool formula_is_one(const char *text);

/* What it comes to: no digit is lost as long as all denominators are powers of two, and nothing on
 * the way there is above 2^53. False, with *value unchanged, if nothing can be made of it. */
bool formula_evaluate(const char *text, uint64_t n, double *value);

#endif
