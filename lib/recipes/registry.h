// SPDX-License-Identifier: Apache-2.0
/*
 * registry: the recipes by name. Layer: recipes.
 *
 * A new recipe is declared here and listed in registry.c; nothing else changes.
 */
#ifndef RECIPES_REGISTRY_H
#define RECIPES_REGISTRY_H

#include "recipes/recipe.h"

extern const struct recipe recipe_nonscalable;
extern const struct recipe recipe_nonscalable_get;
extern const struct recipe recipe_childwatch;
extern const struct recipe recipe_scalable;
extern const struct recipe recipe_scalable_get;

/* The recipe of this index, in the order in which people read them; NULL behind the last. */
const struct recipe *registry_at(size_t index);

/* The recipe of this name, or NULL. */
const struct recipe *registry_find(const char *name);

/* The name that a person may have meant by this one; never NULL. */
const char *registry_nearest(const char *name);

#endif
