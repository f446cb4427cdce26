// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/recipe_names.h"

#include "base/memory.h"
#include "base/process.h"
#include "recipes/own.h"
#include "recipes/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ files */

/* The recipes that have been read, the last one first. */
static struct own_recipes {
    struct own_recipes *next;
    struct recipe *recipe;
} * read_so_far;

static const struct recipe *find_read(const char *path)
{
    for (const struct own_recipes *own = read_so_far; own != NULL; own = own->next) {
        if (strcmp(own->recipe->file->path, path) == 0)
            return own->recipe;
    }
    return NULL;
}

static enum error_kind read_file(const char *path, const struct recipe **recipe,
                                 struct error *error)
{
    static const char *const places[] = {"include/zkherd", "lib", NULL};
    char headers[PATH_MAX + 64];
    struct recipe *own;
    bool has = process_find_beside(places, "recipes/recipe.h", headers, sizeof headers);
    enum error_kind kind = own_load(path, has ? headers : NULL, &own, error);
    if (kind != ERROR_NONE)
        return kind;
    if (registry_find(own->name) != NULL) {
        kind = error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                           "its .name '%s' is that of a recipe of zkherd", own->name);
        own_free(own);
        return kind;
    }
    struct own_recipes *entry = memory_new(1, sizeof *entry);
    *entry = (struct own_recipes){read_so_far, own};
    read_so_far = entry;
    *recipe = own;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ names */

static enum error_kind refuse(const char *name, struct error *error)
{
    char near[256], *advice;
    registry_suggest(name, near, sizeof near);
    advice = near[0] == '\0' ? memory_text("zkherd recipes lists all")
                             : memory_format("did you mean %s?", near);
    enum error_kind kind = error_raise(error, ERROR_USAGE, 0, name[0] == '\0' ? "''" : name,
                                       "no recipe is called '%s'; %s", name, advice);
    free(advice);
    return kind;
}

enum error_kind recipe_names_find(const char *name, const struct recipe **recipe,
                                  struct error *error)
{
    *recipe = own_is_file(name) ? find_read(name) : registry_find(name);
    if (*recipe != NULL)
        return ERROR_NONE;
    return own_is_file(name) ? read_file(name, recipe, error) : refuse(name, error);
}

const struct recipe *recipe_names_read(size_t index)
{
    const struct own_recipes *own = read_so_far;
    while (own != NULL && index-- > 0)
        own = own->next;
    return own == NULL ? NULL : own->recipe;
}
