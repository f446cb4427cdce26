// SPDX-License-Identifier: Apache-2.0
/*
 * queue: the parts that locks made of sequential znodes share. Layer: recipes.
 *
 * A client that has created its znode has a place in the queue. Invariant: sequence numbers are a
 * signed 32-bit counter that wraps from 2147483647 to -2147483648. They are compared by distance,
 * so any two numbers in the queue must be less than 2^31 apart.
 */
#ifndef RECIPES_QUEUE_H
#define RECIPES_QUEUE_H

#include "recipes/recipe.h"

#define QUEUE_PREFIX "lock-" /* of a place; the server appends the sequence number */

/* The sequence number at the end of a znode's name (%010d). A negative one of ten digits is
 * recognised only after a prefix that ends in "-" or "_". False: the name has none. */
bool queue_sequence(const char *name, int32_t *sequence);

/* Whether a comes before b. */
bool queue_before(int32_t a, int32_t b);

/* Creates a place. prefix: of its name, a path below the lock; s->node is that path until
 * queue_take_place adds the number. */
OPERATION queue_create_place(struct contender *s, const char *prefix);

/* Sets s->node and s->sequence from the reply to the create. False if the reply names no place. */
bool queue_take_place(struct contender *s);

/* Looks in the list just received for a place whose name begins with s->prefix, which exists if the
 * reply to its create was lost. True: s->node and s->sequence are set. */
bool queue_find_place(struct contender *s);

/* True if no place in the list just received is before s. False: s->watched and s->predecessor are
 * the path and the number of the place just before. Names without a sequence number are ignored. */
bool queue_is_lowest(struct contender *s);

/* The same, among the names that begin with `prefix`, with the last or the first place before s. */
enum queue_which { QUEUE_LAST, QUEUE_FIRST };
bool queue_none_before(struct contender *s, const char *prefix, enum queue_which which);

/* The lowest sequence number in the list just received, that of s included. */
int32_t queue_first(const struct contender *s);

/* The sequence number before this one. */
int32_t queue_previous(int32_t sequence);

/* Writes the path of the place with this prefix and number (RECIPE_PATH_MAX bytes). */
void queue_place(const struct contender *s, const char *prefix, int32_t sequence, char *path);

/* The acquire of locks in which each client watches the place just before its own (scalable.c). */
enum recipe_step queue_acquire(struct contender *s, look_function *look);
enum recipe_step queue_acquire_exists(struct contender *s); /* look: exists */

#define QUEUE_PSEUDO_CODE(release, predecessor, rest)                                              \
    "acquire                                              release\n"                               \
    "1 n = create(l + \"/lock-\", EPHEMERAL|SEQUENTIAL)       1 " release "\n"                     \
    "2 C = getChildren(l, false)\n"                                                                \
    "3 if n is lowest znode in C, exit\n"                                                          \
    "4 p = " predecessor "\n" rest

/* Its law, and that of readers and writers of whom a release wakes those that it grants. */
void queue_arrival(const struct law_view *view, struct tally *cost);
void queue_release(const struct law_view *view, struct tally *cost);
#define QUEUE_LAW                                                                                  \
    {                                                                                              \
        queue_arrival, queue_release, "5n - 2", "n - 1"                                            \
    }

#endif
