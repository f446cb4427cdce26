// SPDX-License-Identifier: Apache-2.0
#include "sim/slab.h"

#include "base/memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* For AddressSanitizer, which sees no free(). */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(piece, size)   ((void)(piece), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(piece, size) ((void)(piece), (void)(size))
#endif

#define GRAIN       ((size_t)16)
#define SMALL_MAX   ((size_t)512) /* larger sizes are powers of two, others multiples of GRAIN */
#define SMALL_SIZES (SMALL_MAX / GRAIN)
#define CHUNK       ((size_t)256 << 10)

static unsigned class_of(size_t size)
{
    assert(size > 0);
    if (size <= SMALL_MAX)
        return (unsigned)((size - 1) / GRAIN);
    unsigned bits = 64 - (unsigned)__builtin_clzll(size - 1); /* 10 for 513 … 1024 */
    return (unsigned)SMALL_SIZES + bits - 10;
}

static size_t size_of(unsigned class)
{
    if (class < SMALL_SIZES)
        return (class + 1) * GRAIN;
    return (size_t)1 << (class - SMALL_SIZES + 10);
}

void slab_init(struct slab *slab)
{
    *slab = (struct slab){0};
}

void slab_deinit(struct slab *slab)
{
    for (void *block = slab->blocks, *next; block != NULL; block = next) {
        ASAN_UNPOISON_MEMORY_REGION(block, sizeof(void *));
        memcpy(&next, block, sizeof next);
        free(block);
    }
    slab_init(slab);
}

/* The link takes a whole grain, so that the rest is aligned. */
static char *from_system(struct slab *slab, size_t size)
{
    char *block = memory_new(1, GRAIN + size);
    memcpy(block, &slab->blocks, sizeof slab->blocks);
    slab->blocks = block;
    return block + GRAIN;
}

static void *cut(struct slab *slab, size_t size)
{
    if (size > CHUNK / 8)
        return from_system(slab, size);
    if (size > slab->chunk_left) {
        slab->chunk = from_system(slab, CHUNK);
        slab->chunk_left = CHUNK;
    }
    void *piece = slab->chunk;
    slab->chunk += size;
    slab->chunk_left -= size;
    return piece;
}

void *slab_take(struct slab *slab, size_t size)
{
    unsigned class = class_of(size);
    assert(class < SLAB_SIZES);
    void *piece = slab->given_back[class];
    if (piece == NULL)
        return cut(slab, size_of(class));
    ASAN_UNPOISON_MEMORY_REGION(piece, size_of(class));
    memcpy(&slab->given_back[class], piece, sizeof slab->given_back[class]);
    return piece;
}

void slab_give(struct slab *slab, void *piece, size_t size)
{
    if (piece == NULL)
        return;
    unsigned class = class_of(size);
    memcpy(piece, &slab->given_back[class], sizeof slab->given_back[class]);
    slab->given_back[class] = piece;
    ASAN_POISON_MEMORY_REGION(piece, size_of(class));
}

void *slab_grow(struct slab *slab, void *array, size_t *capacity, size_t index, size_t size)
{
    if (index < *capacity)
        return array;
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted <= index)
        wanted *= 2;
    char *grown = slab_take(slab, wanted * size);
    if (array != NULL)
        memcpy(grown, array, *capacity * size);
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    slab_give(slab, array, *capacity * size);
    *capacity = wanted;
    return grown;
}
