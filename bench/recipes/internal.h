// SPDX-License-Identifier: Apache-2.0
/*
 * recipes: what each recipe does; its law in formulas, which are derived from values of the law's
 * functions and compared with more of them; and a recipe to begin with. Layer: bench/recipes.
 */
#ifndef BENCH_RECIPES_INTERNAL_H
#define BENCH_RECIPES_INTERNAL_H

#include "base/error.h"
#include "recipes/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum law_step {
    LAW_ARRIVAL_FREE,   /* the lock is free */
    LAW_ARRIVAL_HELD,   /* the lock is held, and W wait */
    LAW_RELEASE_WAITED, /* W > 0 wait */
    LAW_RELEASE_ALONE,  /* no client waits */
    LAW_STEPS
};

/* The messages of one kind: a formula for each step, such as "W + h"; "0": none; "?": the law
 * depends on cases that no formula has. */
struct law_row {
    char of[LAW_STEPS][64];
};

/* Fills the row of a kind of message; false if laws do not predict it, or no step ever costs any.
 * The recipe must have a law, and no law_in_words. */
bool law_table_row(const struct recipe *recipe, enum tally_kind kind, struct law_row *row);

/* A text with n^2 and n^3 as n² and n³. The caller's to free. */
char *law_table_spell(const char *formula);

/* Writes a formula so, and blanks up to `columns`. */
void law_table_write_formula(const char *formula, size_t columns, FILE *stream);

/* Writes the rows of all kinds, then the meaning of the letters. */
void law_table_write(const struct recipe *recipe, FILE *stream);

#endif
