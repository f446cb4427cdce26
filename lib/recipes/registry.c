// SPDX-License-Identifier: Apache-2.0
#include "recipes/registry.h"

#include "base/text.h"

#include <stdint.h>
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

const char *registry_nearest(const char *name)
{
    const char *nearest = recipes[0]->name;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < RECIPE_COUNT; i++) {
        size_t distance = text_distance(name, recipes[i]->name);
        if (distance < least) {
            least = distance;
            nearest = recipes[i]->name;
        }
    }
    return nearest;
}
