// SPDX-License-Identifier: Apache-2.0
/*
 * queue: what the locks made of sequential znodes share: taking a place in line, finding the one
 * before, the acquire in which each watches that one, and laws. Layer: recipes.
 *
 * Sequence suffixes are a signed 32-bit counter: after 2147483647 comes -2147483648. They are
 * compared by distance, which is right as long as fewer than 2^31 places lie between two that are
 * in line together.
 */
#ifndef RECIPES_QUEUE_H
#define RECIPES_QUEUE_H

#include "recipes/recipe.h"

/* The znode that a client of the queue creates: lock/lock-, to which the server adds the number. */
#define QUEUE_PREFIX "lock-"

/* The sequence number at the end of a znode's name, as the server writes it (%010d) behind a prefix
 * that ends in "-" or "_". Behind another one negative numbers of ten digits are not told. False,
 * with *sequence unchanged, if the name has none. */
bool queue_sequence(const char *name, int32_t *sequence);

/* Whether a comes before b in line. */
bool queue_before(int32_t a, int32_t b);

/* Asks for a place in line whose name begins with this prefix, a path below the lock. */
void queue_create_place(struct contender *s, const char *prefix);

/* Remembers the place that the server gave: s->node and s->sequence, from the reply to the create.
 * False if the reply names no place. */
bool queue_take_place(struct contender *s);

/*
 * Looks through the children in the reply at hand for a place whose name begins with s->prefix: it
 * is there already when the reply to its create was lost. True if it is, with s->node and
 * s->sequence; else both are unchanged.
 */
bool queue_find_place(struct contender *s);

/*
 * Looks through the children in the reply at hand. True if nobody in line is before s. Else
 * s->watched is the path of the one just before, s->predecessor its number, and false. Names
 * without a sequence number are no places in line.
 */
bool queue_is_lowest(struct contender *s);

/* The same, but only those count whose names begin with `prefix`, and it is the last or the first
 * of them that s->watched and s->predecessor tell of. */
enum queue_which { QUEUE_LAST, QUEUE_FIRST };
bool queue_none_before(struct contender *s, const char *prefix, enum queue_which which);

/* The first in line among the children in the reply at hand; that of s if there is none before. */
int32_t queue_first(const struct contender *s);

/* The number before this one, as the server counts. */
int32_t queue_previous(int32_t sequence);

/* Writes the path of the place with this prefix and number, as the server names it
 * (RECIPE_PATH_MAX bytes). */
void queue_place(const struct contender *s, const char *prefix, int32_t sequence, char *path);

/* The acquire of the locks in which each watches the one before with `look`: see scalable.c. */
enum recipe_step queue_acquire(struct contender *s, look_function *look);

/* What that costs: for an arrival with either look, for an arrival with exists, for a release. */
void queue_law_arrival(const struct law_view *view, struct tally *cost, enum tally_kind look);
void queue_arrival(const struct law_view *view, struct tally *cost);
void queue_release(const struct law_view *view, struct tally *cost);
#define QUEUE_LAW                                                                                  \
    {                                                                                              \
        queue_arrival, queue_release, "5n - 2", "n - 1"                                            \
    }

/* Where the list sets a watch: the holder's own, armed by the list that told it of its grant, is
 * still there until somebody joins or leaves for the first time after. It wakes nobody. */
uint64_t queue_holders_watch(const struct law_view *view);

/*
 * The laws of the queue as ZooKeeper ships it, in Java and in C. Whoever arrives makes sure of the
 * folder, looks for a znode of its own among those who are there, and lists again with it. Who is
 * woken makes sure of the folder, and lists those who are left so many times.
 */
void queue_shipped_arrival(const struct law_view *view, struct tally *cost);
void queue_law_shipped_release(const struct law_view *view, struct tally *cost, uint64_t lists);

#endif
