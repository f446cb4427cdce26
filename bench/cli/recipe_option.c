// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/recipe_option.h"

#include "base/text.h"
#include "bench/cli/options.h"
#include "recipes/registry.h"

static bool refuse_unknown(struct option_given *given, const char *name)
{
    char near[256];
    registry_suggest(name, near, sizeof near);
    if (near[0] != '\0')
        return option_row_refuse(given, "no recipe is called '%s'; did you mean %s?", name, near);
    return option_row_refuse(given, "no recipe is called '%s'; zkherd recipes lists all", name);
}

bool recipe_option_take(struct option_given *given, const char *name, const struct recipe **list,
                        size_t *count)
{
    if (name[0] == '\0')
        return option_row_refuse(given, "the name of a recipe is missing");
    const struct recipe *recipe = registry_find(name);
    if (recipe == NULL)
        return refuse_unknown(given, name);
    for (size_t i = 0; i < *count; i++) {
        if (list[i] == recipe)
            return option_row_refuse(given, "a recipe is named twice");
    }
    if (*count == OPTIONS_RECIPES_MAX)
        return option_row_refuse(given, "too many");
    list[(*count)++] = recipe;
    return true;
}

bool recipe_option_take_all(struct option_given *given, const struct recipe **list, size_t *count)
{
    const char *names = given->value;
    char name[64];
    *count = 0;
    while (text_next_item(&names, name, sizeof name)) {
        if (!recipe_option_take(given, name, list, count))
            return false;
    }
    return true;
}
