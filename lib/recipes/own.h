// SPDX-License-Identifier: Apache-2.0
/*
 * own: a recipe that is in a file of its own, outside of zkherd. Layer: recipes.
 *
 * A source, NAME.c, is compiled with the headers of recipe.h. It has one RECIPE. What a recipe
 * calls (interface.list) it finds in the program.
 *
 * Invariant: a compilation leaves nothing behind, whatever its end but SIGKILL. What is loaded
 * stays until the process ends.
 */
#ifndef RECIPES_OWN_H
#define RECIPES_OWN_H

#include "base/error.h"
#include "recipes/recipe.h"

#include <stdbool.h>

/* Whether this is the name of a file: it has a slash. */
bool own_is_file(const char *name);

/* Whether a recipe may have this name: small letters, digits, dashes, a letter first. */
bool own_is_name(const char *name);

/*
 * Compiles and loads the recipe of this file; *recipe is the caller's to own_free. headers: the
 * folder that has recipes/recipe.h, or NULL. The compiler is cc, or the words of $CC, and writes to
 * stderr.
 *
 * ERROR_NOT_A_RECIPE, ERROR_NO_COMPILER, ERROR_NO_HEADERS, and those of errno: of the file, and of
 * the folder in $TMPDIR.
 */
MUST_CHECK enum error_kind own_load(const char *path, const char *headers, struct recipe **recipe,
                                    struct error *error);

/* NULL is fine. What was loaded stays. */
void own_free(struct recipe *recipe);

#endif
