// SPDX-License-Identifier: Apache-2.0
/*
 * recipes_json: what `zkherd recipes --json` prints. Layer: bench/recipes.
 *
 * Invariant: the keys are those of docs/schema/recipes.schema.json.
 */
#ifndef BENCH_RECIPES_RECIPES_JSON_H
#define BENCH_RECIPES_RECIPES_JSON_H

#include "base/error.h"
#include "recipes/recipe.h"

#include <stdio.h>

/* Writes one object, with all recipes, or with `only` alone unless it is NULL. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind recipes_json_write(const struct recipe *only, FILE *stream,
                                              struct error *error);

#endif
