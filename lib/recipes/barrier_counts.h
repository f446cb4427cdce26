// SPDX-License-Identifier: Apache-2.0
/*
 * barrier counts: what n clients send for b double barriers in free pace, whoever is before whom.
 * Layer: recipes.
 *
 * docs/counting.md derives the counts from the recipe (barrier.c). Invariant: they hold for every
 * order in which the servers may carry out the requests, if no session dies or loses its
 * connection.
 */
#ifndef RECIPES_BARRIER_COUNTS_H
#define RECIPES_BARRIER_COUNTS_H

#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these may be the totals of so many clients that have entered and left so many barriers,
 * each at least 1. If not, writes the first count that is wrong to why: 100 bytes are enough. */
bool barrier_counts_agree(const struct tally *total, uint64_t clients, uint64_t barriers, char *why,
                          size_t size);

#endif
