// SPDX-License-Identifier: Apache-2.0
#include "sim/pool.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pool_deinit(struct pool *pool)
{
    while (!LIST_EMPTY(&pool->pieces))
        pool_give(LIST_FIRST(&pool->pieces)->piece);
}

void *pool_alloc(struct pool *pool, size_t size)
{
    struct pool_link *link = memory_or_end(malloc(sizeof *link + size));
    LIST_INSERT_HEAD(&pool->pieces, link, list);
    return link->piece;
}

void pool_give(void *piece)
{
    if (piece == NULL)
        return;
    struct pool_link *link = (struct pool_link *)piece - 1;
    LIST_REMOVE(link, list);
    free(link);
}

void *pool_grow(struct pool *pool, void *array, size_t *capacity, size_t index, size_t size)
{
    if (index < *capacity)
        return array;
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted <= index)
        wanted *= 2;
    char *grown = pool_alloc(pool, wanted * size);
    if (array != NULL)
        memcpy(grown, array, *capacity * size);
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    pool_give(array);
    *capacity = wanted;
    return grown;
}

/* ------------------------------------------------------------------ hash tables */

#define FIRST_BUCKETS ((size_t)1024)

static void set_buckets(struct hash_table *table, size_t count)
{
    size_t none = 0;
    table->buckets = pool_grow(table->pool, NULL, &none, count - 1, sizeof(struct hash_entry *));
    table->bucket_count = count;
}

void hash_table_init(struct hash_table *table, struct pool *pool)
{
    *table = (struct hash_table){.pool = pool};
    set_buckets(table, FIRST_BUCKETS);
}

static struct hash_entry **bucket_of(const struct hash_table *table, uint64_t hash)
{
    return &table->buckets[hash & (table->bucket_count - 1)];
}

struct hash_entry *hash_table_bucket(const struct hash_table *table, uint64_t hash)
{
    return *bucket_of(table, hash);
}

static void enter(struct hash_table *table, struct hash_entry *entry)
{
    struct hash_entry **bucket = bucket_of(table, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
}

static void grow(struct hash_table *table)
{
    struct hash_entry **former = table->buckets;
    size_t count = table->bucket_count;
    set_buckets(table, count * 2);
    for (size_t i = 0; i < count; i++) {
        for (struct hash_entry *entry = former[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            enter(table, entry);
        }
    }
    pool_give(former);
}

void hash_table_add(struct hash_table *table, struct hash_entry *entry)
{
    if (++table->count > table->bucket_count)
        grow(table);
    enter(table, entry);
}

void hash_table_remove(struct hash_table *table, struct hash_entry *entry)
{
    struct hash_entry **link = bucket_of(table, entry->hash);
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    table->count--;
}
