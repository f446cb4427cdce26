// SPDX-License-Identifier: Apache-2.0
#include "recipes/registry.h"

#include "base/text.h"

#include <stdbool.h>
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

/* With fewer letters too many names match. */
#define BEGINNING_MIN 3

static const char *nearest(const char *name)
{
    const char *found = recipes[0]->name;
    for (size_t i = 1; i < RECIPE_COUNT; i++) {
        if (text_distance(name, recipes[i]->name) < text_distance(name, found))
            found = recipes[i]->name;
    }
    return found;
}

const char *registry_suggest(const char *name, char *text, size_t size)
{
    size_t begun = strlen(name), length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < RECIPE_COUNT && begun >= BEGINNING_MIN && length < size; i++) {
        if (strncmp(recipes[i]->name, name, begun) == 0)
            length += (size_t)snprintf(text + length, size - length, "%s'%s'",
                                       length > 0 ? ", " : "", recipes[i]->name);
    }
    if (length == 0 && text_is_like(name, nearest(name)))
        snprintf(text, size, "'%s'", nearest(name));
    return text;
}
