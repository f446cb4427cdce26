// SPDX-License-Identifier: Apache-2.0
/*
 * registry: the recipes by name. Layer: recipes.
 *
 * A new recipe is one file, and one line here (docs/recipes.md).
 */
#ifndef RECIPES_REGISTRY_H
#define RECIPES_REGISTRY_H

#include "recipes/recipe.h"

/* X(name) of each recipe_NAME, in the order of zkherd recipes. */
#define REGISTRY_LIST(X)                                                                           \
    X(nonscalable)                                                                                 \
    X(nonscalable_get)                                                                             \
    X(childwatch)                                                                                  \
    X(scalable)                                                                                    \
    X(scalable_get)                                                                                \
    X(scalable_listwatch)                                                                          \
    X(scalable_guid)                                                                               \
    X(writelock)                                                                                   \
    X(zoolock)                                                                                     \
    X(walkback)                                                                                    \
    X(reentrant)                                                                                   \
    X(election)                                                                                    \
    X(ticket)                                                                                      \
    X(poll)                                                                                        \
    X(counter)                                                                                     \
    X(rwlock)                                                                                      \
    X(rwlock_curator)                                                                              \
    X(barrier)                                                                                     \
    X(ready)                                                                                       \
    X(softlock)                                                                                    \
    X(broken_nolock)                                                                               \
    X(broken_norecheck)                                                                            \
    X(broken_wrongpred)                                                                            \
    X(broken_nowatch)                                                                              \
    X(broken_leak)

#define X(name) extern const struct recipe recipe_##name;
REGISTRY_LIST(X)
#undef X

/* The recipe with this index in the list, or with this name; NULL: there is none. */
const struct recipe *registry_at(size_t index);
const struct recipe *registry_find(const char *name);

/* Writes the recipes that may be meant, as "'a', 'b'": all that begin with this name, or the most
 * similar one, if one is. Returns text. */
const char *registry_suggest(const char *name, char *text, size_t size);

#endif
