// SPDX-License-Identifier: Apache-2.0
/*
 * footprint: how long the lists, and how many the watches of a recipe become with its clients.
 * Layer: recipes.
 *
 * Invariant: an upper bound, of recipe.names and of znodes that are laid out: sequence numbers are
 * not negative (the first 2^31 of a folder), the clients all in the queue.
 */
#ifndef RECIPES_FOOTPRINT_H
#define RECIPES_FOOTPRINT_H

#include "recipes/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of a client's name in a list, in bytes; 0 if no client lists. */
size_t footprint_name_length(const struct recipe *recipe);

/* Whether clients list although none has given up: whether the law has lists. */
bool footprint_lists_always(const struct recipe *recipe);

/* The list of so many clients as it counts against jute.maxbuffer (wire/maxbuffer.h), in bytes; 0
 * if no client lists. */
uint64_t footprint_list_bytes(const struct recipe *recipe, uint64_t clients);

/* The most clients whose list fits in jute.maxbuffer; UINT64_MAX if no client lists. */
uint64_t footprint_listed_clients(const struct recipe *recipe, uint64_t limit);

/* The length of the longest path that a waiting client watches, in bytes, in a lock whose path has
 * this length; 0 if it watches nothing. */
size_t footprint_watched_length(const struct recipe *recipe, size_t lock_length);

/* The most watches that one of so many clients of a lock has at a time, and all of them together.
 */
uint64_t footprint_own_watches(const struct recipe *recipe, uint64_t clients);
uint64_t footprint_all_watches(const struct recipe *recipe, uint64_t clients);

#endif
