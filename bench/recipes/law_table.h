// SPDX-License-Identifier: Apache-2.0
/*
 * law_table: a recipe's law in formulas. Layer: bench/recipes.
 *
 * The formulas are derived from values of the law's functions, and compared with more of them, so
 * they agree with the law that a run is compared with.
 */
#ifndef BENCH_RECIPES_LAW_TABLE_H
#define BENCH_RECIPES_LAW_TABLE_H

#include "recipes/recipe.h"

#include <stdbool.h>
#include <stdio.h>

enum law_step {
    LAW_ARRIVAL_FREE,   /* the lock is free */
    LAW_ARRIVAL_HELD,   /* the lock is held, and W wait */
    LAW_RELEASE_WAITED, /* W > 0 wait */
    LAW_RELEASE_ALONE,  /* nobody waits */
    LAW_STEPS
};

/* The messages of one kind: a formula for each step, such as "W + h"; "0": none; "?": the law goes
 * by cases that no formula has. */
struct law_row {
    char of[LAW_STEPS][64];
};

/* Fills the row of a kind of message that laws predict; false if no step ever costs any. The
 * recipe must have a law, and no law_in_words. */
bool law_table_row(const struct recipe *recipe, enum tally_kind kind, struct law_row *row);

/* Writes a formula as the stream can show it (terminal_spell_formula), and blanks up to so many
 * columns. */
void law_table_put(const char *formula, size_t columns, FILE *stream);

/* Writes a row for each kind of message: the cost of an arrival and of a release, with W waiters;
 * then the meaning of the other letters. The recipe must have a law, and no law_in_words. */
void law_table_write(const struct recipe *recipe, FILE *stream);

#endif
