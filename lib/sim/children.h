// SPDX-License-Identifier: Apache-2.0
/*
 * children: the children of a znode in the order of their creation, listed in O(1). Layer: sim.
 *
 * Pointers to the names lie in one array, as a reply has them, and their text is contiguous. A view
 * is a part of that array at one moment, and does not change while children are added and removed.
 * To remove the first child and to add one costs O(1); to remove another one costs a copy of the
 * array while a view of it is held, else a move of the elements behind it.
 *
 * Invariant: an element of an array that a view may show, and its text, is never written again.
 */
#ifndef SIM_CHILDREN_H
#define SIM_CHILDREN_H

#include "sim/path.h"

/* All zero: none. */
struct children {
    struct children_array *array;
    uint32_t head; /* index of the first child in the array */
    uint32_t tail; /* index behind the last child */
    uint64_t gone; /* sum of `head` of former arrays */
    uint64_t name_bytes;
};

/* A list of children. All zero: empty. */
struct children_view {
    struct children_array *array;
    const char *const *names;
    size_t count;
    uint64_t name_bytes; /* the lengths of the names, summed */
};

/* Adds a child as the last; its path must live until it is removed. Returns its mark, for
 * children_remove. */
uint64_t children_add(struct children *children, struct slab *slab, const struct path *child);

/* Removes a child that is there. */
void children_remove(struct children *children, struct slab *slab, const struct path *child,
                     uint64_t mark);

size_t children_count(const struct children *children);

/* The present children; the view is the caller's to release. */
struct children_view children_view(const struct children *children);

/* Releases a view, and makes it empty. */
void children_view_release(struct children_view *view, struct slab *slab);

/* Removes all children, and frees their memory. */
void children_clear(struct children *children, struct slab *slab);

#endif
