// SPDX-License-Identifier: Apache-2.0
/*
 * law: the cost of a recipe under lockstep, step by step. Layer: recipes.
 *
 * A law_lock models the state of a lock. It takes every arrival and every release, and adds the
 * cost of each. A total is the sum of its steps: there is no second formula for a drain.
 *
 * Invariant: all clients of a lock arrive before its first release, in the order of their numbers;
 * after a release the client arrives again at once, until all handoffs are done. Of clients that
 * share, the first in the queue releases. So counts alone determine who is where in the queue.
 */
#ifndef RECIPES_LAW_H
#define RECIPES_LAW_H

#include "recipes/recipe.h"

struct law_lock {
    const struct recipe *recipe;
    struct law_view view;
    uint64_t clients;
};

/* The recipe must have a law; clients: at least 1. */
void law_lock_init(struct law_lock *lock, const struct recipe *recipe, uint64_t clients);

/* One client arrives, or a holder releases, and those next in the queue are granted. */
void law_lock_arrival(struct law_lock *lock, struct tally *cost);
void law_lock_release(struct law_lock *lock, struct tally *cost);

/* Adds what the holder itself sends in the next release, whoever waits. */
void law_lock_release_alone(const struct law_lock *lock, struct tally *cost);

/* Once all clients have arrived, and after every later step: a turn, if the recipe has AWAIT_TURN,
 * clients wait and none holds. Adds its cost; returns how many clients continue, 0: no turn. */
uint64_t law_lock_turn(struct law_lock *lock, struct tally *cost);

/* The number of the first client in the queue, where clients share; it holds if any client does. */
uint32_t law_lock_first(const struct law_lock *lock);

/* Adds to *total the cost of `handoffs` grants, at least `clients`, of one lock: all clients
 * arrive, and each that releases arrives again until there have been `handoffs` arrivals. */
void law_total(const struct recipe *recipe, uint64_t clients, uint64_t handoffs,
               struct tally *total);

/* Whether these may be the totals of clients that have entered and left double barriers (barrier.c)
 * in free pace, in whatever order requests are carried out, if no connection is lost: the bounds of
 * docs/method.md. If not, writes the first count that is wrong to why: 100 bytes are enough. */
bool law_barriers_agree(const struct tally *total, uint64_t clients, uint64_t barriers, char *why,
                        size_t size);

#endif
