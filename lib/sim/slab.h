// SPDX-License-Identifier: Apache-2.0
/*
 * slab: memory by size, given back into lists of its size and taken out of them again. Layer: sim,
 * below the simulation.
 *
 * A simulation takes and gives a few pieces for every event. In a steady state each comes out of a
 * list, and nothing is asked of the system.
 *
 * Invariant: a piece is given back with the size that it was taken with. All memory is freed at
 * once, with the slab.
 */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include <stddef.h>

#define SLAB_SIZES 64

struct slab {
    void *given_back[SLAB_SIZES]; /* a list for each size; a piece's first word is the next one */
    char *chunk;                  /* where small pieces are cut from */
    size_t chunk_left;
    void *blocks; /* all that came from the system; a block's first word is the next one */
};

void slab_init(struct slab *slab);
void slab_deinit(struct slab *slab);

/* A piece of at least this size (not 0), aligned to 16 bytes, its contents undefined. Never NULL: a
 * simulation that the system has no memory for cannot go on, and is ended by an assertion. */
void *slab_take(struct slab *slab, size_t size) __attribute__((returns_nonnull));

/* Gives a piece back; NULL is fine. */
void slab_give(struct slab *slab, void *piece, size_t size);

/*
 * Makes sure that an array, which begins all zero, has an element of this index: returns it, moved
 * if need be to where there is room for twice as many, with the new ones zero. NULL is an array of
 * none.
 */
void *slab_grow(struct slab *slab, void *array, size_t *capacity, size_t index, size_t size);

#endif
