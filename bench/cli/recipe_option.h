// SPDX-License-Identifier: Apache-2.0
/*
 * recipe_option: names of recipes on the command line. Layer: bench/cli.
 *
 * Invariant: a list of recipes has at most OPTIONS_RECIPES_MAX, and none of them twice.
 */
#ifndef BENCH_CLI_RECIPE_OPTION_H
#define BENCH_CLI_RECIPE_OPTION_H

#include "bench/cli/option_row.h"
#include "recipes/recipe.h"

/* The default of a list: the help of each row has it as a text. */
#define RECIPE_OPTION_DEFAULT "nonscalable,childwatch,scalable"

/* Appends the recipe of this name to a list; option_row_refuse if it cannot be. */
bool recipe_option_take(struct option_given *given, const char *name, const struct recipe **list,
                        size_t *count);

/* Sets a list to the recipes whose names are given, with commas between; likewise. */
bool recipe_option_take_all(struct option_given *given, const struct recipe **list, size_t *count);

#endif
