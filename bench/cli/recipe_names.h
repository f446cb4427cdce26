// SPDX-License-Identifier: Apache-2.0
/*
 * recipe_names: the recipe that a person names: one of zkherd's, or one in a file of its own.
 * Layer: bench/cli.
 *
 * Invariant: a file is read once; a recipe stays until the program ends.
 */
#ifndef BENCH_CLI_RECIPE_NAMES_H
#define BENCH_CLI_RECIPE_NAMES_H

#include "base/error.h"
#include "recipes/recipe.h"

#include <stddef.h>

/* Sets *recipe to that of this name, or of this file if the name has a slash. ERROR_USAGE with a
 * sentence as the detail if there is none of the name, and the errors of own_load. */
MUST_CHECK enum error_kind recipe_names_find(const char *name, const struct recipe **recipe,
                                             struct error *error);

/* The recipe with this index among those that were read from files; NULL behind
 * the last; the one read last is the first. */
const struct recipe *recipe_names_read(size_t index);

#endif
