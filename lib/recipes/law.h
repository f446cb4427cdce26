// SPDX-License-Identifier: Apache-2.0
/*
 * law: what a recipe costs under lockstep pace, summed up. Layer: recipes.
 *
 * A law_lock is a lock as the law sees it: it is told of every arrival and every release, and says
 * what each costs. Totals are the sum of those, so the law of a drain is nowhere written a second
 * time.
 *
 * Invariant: all clients of a lock arrive before its first release, in the order of their numbers;
 * from then on one who releases queues again at once, or no client does any more. Where clients
 * share, the first in line is the one who releases. So it is known who is where in line, and whom
 * each found in it, and nothing need be remembered of each.
 */
#ifndef RECIPES_LAW_H
#define RECIPES_LAW_H

#include "base/error.h"
#include "recipes/recipe.h"

struct law_lock {
    const struct recipe *recipe;
    struct law_view view;
    uint64_t clients;
};

/* The recipe has a law; clients: at least one. */
void law_lock_init(struct law_lock *lock, const struct recipe *recipe, uint64_t clients);

/* One client arrives, or a holder releases; those whose turn has come are granted. Adds what that
 * costs to *cost. */
void law_lock_arrival(struct law_lock *lock, struct tally *cost);
void law_lock_release(struct law_lock *lock, struct tally *cost);

/* If all who wait rest at an AWAIT_TURN and nobody holds, they go on. How many that are. To be
 * asked when all clients have arrived, and after every step from then on. */
uint64_t law_lock_turn(struct law_lock *lock, struct tally *cost);

/* The number of the client that is first in line, where clients share; it holds if anybody does. */
uint32_t law_lock_first(const struct law_lock *lock);

/*
 * The cost of `handoffs` grants among `clients` clients of one lock: all of them arrive, then the
 * lock is handed on, and each who releases queues again until there have been `handoffs` arrivals.
 * handoffs == clients is a drain; fewer than clients are not allowed.
 */
void law_total(const struct recipe *recipe, uint64_t clients, uint64_t handoffs,
               struct tally *total);

/* Holds the recipe's texts for people against the sums of its law for so many clients: one that is
 * a formula (formula.h) must come to the same. ERROR_WRONG_LAW. */
MUST_CHECK enum error_kind law_check_texts(const struct recipe *recipe, uint64_t clients,
                                           struct error *error);

#endif
