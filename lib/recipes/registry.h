// SPDX-License-Identifier: Apache-2.0
/*
 * registry: the recipes by name. Layer: recipes.
 *
 * A new recipe is one file, and one line here.
 */
#ifndef RECIPES_REGISTRY_H
#define RECIPES_REGISTRY_H

#include "recipes/recipe.h"

/* recipe_NAME of each, in the order in which people read them. */
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

/* The recipe of this index in the list; NULL behind the last. */
const struct recipe *registry_at(size_t index);

/* The recipe of this name, or NULL. */
const struct recipe *registry_find(const char *name);

/* Writes the names that a person may have meant by this one, as "'a', 'b'", to text: those that it
 * is the beginning of, or the one that is most like it; "" if none is. Returns text. */
const char *registry_suggest(const char *name, char *text, size_t size);

#endif
