// SPDX-License-Identifier: Apache-2.0
/*
 * law_table: a recipe's law in formulas. Layer: bench/recipes.
 *
 * The formulas are derived from values of the law's functions, so they always agree with the law
 * that a run is compared with.
 */
#ifndef BENCH_RECIPES_LAW_TABLE_H
#define BENCH_RECIPES_LAW_TABLE_H

#include "recipes/recipe.h"

#include <stdio.h>

/* Writes a row for each kind of message: the cost of an arrival and of a release, with W waiters;
 * then the meaning of the other letters. The recipe must have a law, and no law_in_words. */
void law_table_write(const struct recipe *recipe, FILE *stream);

#endif
