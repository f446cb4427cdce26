// SPDX-License-Identifier: Apache-2.0
#include "recipes/registry.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct recipe *const recipes[] = {
#define X(name) &recipe_##name,
    REGISTRY_LIST(X)
#undef X
};

#define RECIPE_COUNT (sizeof recipes / sizeof recipes[0])

const struct recipe *registry_at(size_t index)
{
    return index < RECIPE_COUNT ? recipes[index] : NULL;
}

const struct recipe *registry_find(const char *name)
{
    for (size_t i = 0; i < RECIPE_COUNT; i++) {
        if (strcmp(recipes[i]->name, name) == 0)
            return recipes[i];
    }
    return NULL;
}

#define BEGINNING_MIN 3 /* with fewer letters too many names match */

const char *registry_suggest(const char *name, char *text, size_t size)
{
    const char *nearest = recipes[0]->name;
    size_t begun = strlen(name);
    text[0] = '\0';
    for (size_t i = 0; i < RECIPE_COUNT; i++) {
        const char *one = recipes[i]->name;
        if (begun >= BEGINNING_MIN && strncmp(one, name, begun) == 0)
            text_append(text, size, "%s'%s'", text[0] != '\0' ? ", " : "", one);
        if (text_distance(name, one) < text_distance(name, nearest))
            nearest = one;
    }
    if (text[0] == '\0' && text_is_like(name, nearest))
        snprintf(text, size, "'%s'", nearest);
    return text;
}
