// SPDX-License-Identifier: Apache-2.0
/*
 * slab: memory for a simulation, with a free list for each size. Layer: sim, the lowest.
 *
 * A simulation takes and gives a few pieces for every event; in a steady state all come from the
 * free lists.
 *
 * Invariant: a piece is given back with the size that it was taken with. All memory is freed at
 * once, with the slab.
 */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include <stddef.h>

#define SLAB_SIZES 64

struct slab {
    void *given_back[SLAB_SIZES]; /* free lists; a piece's first word points to the next */
    char *chunk;                  /* the unused rest of a block, for small pieces */
    size_t chunk_left;
    void *blocks; /* from the system; a block's first word points to the next */
};

void slab_init(struct slab *slab);
void slab_deinit(struct slab *slab);

/* A piece of at least this size (not 0), aligned to 16 bytes, with undefined contents. Never NULL
 * (base/memory.h). */
void *slab_take(struct slab *slab, size_t size) __attribute__((returns_nonnull));

/* Gives a piece back; NULL is fine. */
void slab_give(struct slab *slab, void *piece, size_t size);

/* Returns the array with room for an element of this index: itself, or a copy of at least twice the
 * capacity, whose new elements are zero. NULL is an array without elements. */
void *slab_grow(struct slab *slab, void *array, size_t *capacity, size_t index, size_t size);

#endif
