// SPDX-License-Identifier: Apache-2.0
/*
 * pool: memory of a simulation, which is freed piece by piece or as a whole; arrays that grow, hash
 * tables. Layer: sim, the lowest.
 */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* In front of a piece: its place in the list of all pieces of a pool. */
struct pool_link {
    LIST_ENTRY(pool_link) list;
    _Alignas(max_align_t) unsigned char piece[];
};

/* All zero bytes: no piece. Must not be moved. */
struct pool {
    LIST_HEAD(pool_links, pool_link) pieces;
};

void pool_deinit(struct pool *pool);

/* A piece of this size, with undefined contents. Never NULL (base/memory.h). */
void *pool_alloc(struct pool *pool, size_t size) __attribute__((returns_nonnull));

/* Frees a piece; NULL is fine. */
void pool_give(void *piece);

/* Returns the array with room for an element of this index: itself, or a copy of at least twice the
 * capacity, whose new elements are zero. NULL is an array without elements. */
void *pool_grow(struct pool *pool, void *array, size_t *capacity, size_t index, size_t size);

/* First member of what is in a hash table. */
struct hash_entry {
    struct hash_entry *next; /* in the same bucket */
    uint64_t hash;           /* whose low bits differ */
};

struct hash_table {
    struct pool *pool;
    struct hash_entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
};

void hash_table_init(struct hash_table *table, struct pool *pool);

/* The entries among which those with this hash are; `next` goes to the others. */
struct hash_entry *hash_table_bucket(const struct hash_table *table, uint64_t hash);

void hash_table_add(struct hash_table *table, struct hash_entry *entry);
void hash_table_remove(struct hash_table *table, struct hash_entry *entry);

#endif
