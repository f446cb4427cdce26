// SPDX-License-Identifier: Apache-2.0
/* skeleton: a recipe to begin with, which works and obeys its law as it is. Layer: bench/recipes.
 */
#ifndef BENCH_RECIPES_SKELETON_H
#define BENCH_RECIPES_SKELETON_H

#include "base/error.h"

/* The text of skeleton.txt, where @name@ stands for the recipe's name, and @ident@ for the same
 * with underscores. */
extern const char skeleton_txt[];

/* Writes NAME.c into the present folder; never over another file. ERROR_USAGE if no recipe may be
 * called so, or one is, and the errors of errno. */
MUST_CHECK enum error_kind skeleton_write(const char *name, struct error *error);

#endif
