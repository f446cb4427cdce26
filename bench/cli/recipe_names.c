// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/recipe_names.h"

#include "base/memory.h"
#include "base/process.h"
#include "recipes/own.h"
#include "recipes/registry.h"

#include <limits.h>
#include <string.h>

/* The recipes that have been read from files. */
static struct recipe **own;
static size_t own_count;

static enum error_kind read_file(const char *path, struct error *error)
{
    static const char *const places[] = {"include/zkherd", "lib", NULL};
    char headers[PATH_MAX + 64];
    struct recipe *recipe;
    bool has = process_find_beside(places, "recipes/recipe.h", headers, sizeof headers);
    if (own_load(path, has ? headers : NULL, &recipe, error))
        return error->kind;
    if (registry_find(recipe->name) != NULL) {
        error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                    "its .name '%s' is that of a recipe of zkherd", recipe->name);
        own_free(recipe);
        return error->kind;
    }
    own = memory_grow(own, own_count, sizeof(void *));
    own[own_count++] = recipe;
    return ERROR_NONE;
}

enum error_kind recipe_names_find(const char *name, const struct recipe **recipe,
                                  struct error *error)
{
    size_t i = 0;
    char near[256];
    if (own_is_file(name)) {
        while (i < own_count && strcmp(own[i]->file->path, name) != 0)
            i++;
        if (i == own_count && read_file(name, error) != ERROR_NONE)
            return error->kind;
        *recipe = own[i];
        return ERROR_NONE;
    }
    *recipe = registry_find(name);
    if (*recipe != NULL)
        return ERROR_NONE;
    registry_suggest(name, near, sizeof near);
    return error_raise(error, ERROR_USAGE, 0, name[0] == '\0' ? "''" : name,
                       "no recipe is called '%s'; %s%s%s", name,
                       near[0] == '\0' ? "zkherd recipes lists all" : "did you mean ", near,
                       near[0] == '\0' ? "" : "?");
}

const struct recipe *recipe_names_read(size_t index)
{
    return index < own_count ? own[own_count - 1 - index] : NULL;
}
