// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/recipe_names.h"

#include "base/memory.h"
#include "base/process.h"
#include "recipes/own.h"
#include "recipes/registry.h"

#include <limits.h>
#include <string.h>

/* The recipes that have been read from files, the last one first. */
static struct own_recipes {
    struct own_recipes *next;
    struct recipe *recipe;
} * read_so_far;

static enum error_kind read_file(const char *path, const struct recipe **recipe,
                                 struct error *error)
{
    static const char *const places[] = {"include/zkherd", "lib", NULL};
    char headers[PATH_MAX + 64];
    struct recipe *own;
    bool has = process_find_beside(places, "recipes/recipe.h", headers, sizeof headers);
    if (own_load(path, has ? headers : NULL, &own, error))
        return error->kind;
    if (registry_find(own->name) != NULL) {
        error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                    "its .name '%s' is that of a recipe of zkherd", own->name);
        own_free(own);
        return error->kind;
    }
    struct own_recipes *entry = memory_new(1, sizeof *entry);
    *entry = (struct own_recipes){read_so_far, own};
    read_so_far = entry;
    *recipe = own;
    return ERROR_NONE;
}

enum error_kind recipe_names_find(const char *name, const struct recipe **recipe,
                                  struct error *error)
{
    const struct own_recipes *own = read_so_far;
    char near[256];
    if (own_is_file(name)) {
        while (own != NULL && strcmp(own->recipe->file->path, name) != 0)
            own = own->next;
        if (own == NULL)
            return read_file(name, recipe, error);
        *recipe = own->recipe;
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
    const struct own_recipes *own = read_so_far;
    while (own != NULL && index-- > 0)
        own = own->next;
    return own == NULL ? NULL : own->recipe;
}
