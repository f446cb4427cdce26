// SPDX-License-Identifier: Apache-2.0
/*
 * law_table: a recipe's law in formulas. Layer: bench/recipes.
 *
 * The formulas are found by asking the law itself what a step costs among so many waiters, so they
 * cannot say anything else than what a run is held against.
 */
#ifndef BENCH_RECIPES_LAW_TABLE_H
#define BENCH_RECIPES_LAW_TABLE_H

#include "recipes/recipe.h"

#include <stdio.h>

/* A row a kind of message: what an arrival and a release cost, with W waiters. Then what the other
 * letters stand for. The recipe has a law, and W is enough to tell it (no law_in_words). */
void law_table_write(const struct recipe *recipe, FILE *stream);

#endif
