// SPDX-License-Identifier: Apache-2.0
/*
 * law: what a recipe costs under lockstep pace, summed up. Layer: recipes.
 *
 * A law_lock is a lock as the law sees it: it is told of every arrival and every release, and says
 * what each costs. Totals are the sum of those, so the law of a drain is nowhere written a second
 * time.
 *
 * Invariant: all clients of a lock arrive before its first release; from then on one who releases
 * queues again at once, or no client does any more. So it is known whom each found in line, and
 * nothing need be remembered of each.
 */
#ifndef RECIPES_LAW_H
#define RECIPES_LAW_H

#include "recipes/recipe.h"

struct law_lock {
    const struct recipe *recipe;
    struct law_view view;
    uint64_t longest_line; /* of all who held or waited at once */
};

void law_lock_init(struct law_lock *lock, const struct recipe *recipe);

/* One client arrives, or the holder releases and the next waiter, if there is one, is granted. Adds
 * what that costs to *cost. */
void law_lock_arrival(struct law_lock *lock, struct tally *cost);
void law_lock_release(struct law_lock *lock, struct tally *cost);

/*
 * The cost of `handoffs` grants among `clients` clients of one lock: all of them arrive, then the
 * lock is handed on, and each who releases queues again until there have been `handoffs` arrivals.
 * handoffs == clients is a drain; fewer than clients are not allowed.
 */
void law_total(const struct recipe *recipe, uint64_t clients, uint64_t handoffs,
               struct tally *total);

#endif
