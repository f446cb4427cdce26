// SPDX-License-Identifier: Apache-2.0
/*
 * children: the children of a znode in the order of their creation, so that a list of them costs
 * nothing. Layer: sim, below the simulation.
 *
 * Their names lie in an array, as a reply hands them out, and their text side by side in memory:
 * who reads a list of a hundred thousand waits for memory and little else. A view is a part of that
 * array at one moment; it stays as it is while children come and go. The first child goes in O(1),
 * a last one comes in O(1); another that goes costs a copy of the array if a view of it is held,
 * else a move of what lies behind.
 *
 * Invariant: an element of an array that a view may show, and its text, is never written again.
 */
#ifndef SIM_CHILDREN_H
#define SIM_CHILDREN_H

#include "sim/path.h"
#include "sim/slab.h"

#include <stddef.h>
#include <stdint.h>

struct children_array;

/* All zero: none. */
struct children {
    struct children_array *array;
    uint32_t head; /* the first child's place in the array */
    uint32_t tail; /* behind the last one's */
    uint64_t gone; /* places of former arrays that lie before this one's */
    uint64_t name_bytes;
};

/* What a list shows. All zero: nothing. */
struct children_view {
    struct children_array *array;
    const char *const *names;
    size_t count;
    uint64_t name_bytes; /* the lengths of the names, summed */
};

/* Adds a child behind the others; its path lives until it is taken out. Returns its mark, for
 * children_remove. */
uint64_t children_add(struct children *children, struct slab *slab, const struct path *child);

/* Takes out a child that is there. */
void children_remove(struct children *children, struct slab *slab, const struct path *child,
                     uint64_t mark);

size_t children_count(const struct children *children);

/* The children as they are now; the view is the caller's to release. */
struct children_view children_view(const struct children *children);

/* Lets go of a view, which is empty then. */
void children_view_release(struct children_view *view, struct slab *slab);

/* Lets go of all of them. */
void children_clear(struct children *children, struct slab *slab);

#endif
