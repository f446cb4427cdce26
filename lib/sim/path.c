// SPDX-License-Identifier: Apache-2.0
#include "sim/path.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < 8 ? length - i : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash >> 16;
}

void paths_init(struct paths *paths, struct pool *pool)
{
    *paths = (struct paths){.pool = pool};
    hash_table_init(&paths->table, pool);
}

static struct path *make(struct paths *paths, const char *text, size_t length, uint64_t hash)
{
    struct path *path = pool_alloc(paths->pool, sizeof *path + length + 1);
    if (paths->free_count == 0)
        paths->free_ids = pool_grow(paths->pool, paths->free_ids, &paths->free_capacity, paths->ids,
                                    sizeof *paths->free_ids);
    *path = (struct path){.entry.hash = hash,
                          .references = 1,
                          .id = paths->free_count > 0 ? paths->free_ids[--paths->free_count]
                                                      : paths->ids++,
                          .length = (uint32_t)length,
                          .name_at = (uint32_t)length};
    memcpy(path->text, text, length);
    path->text[length] = '\0';
    while (text[path->name_at - 1] != '/')
        path->name_at--;
    if (length > 1)
        path->parent = paths_intern(paths, text, path->name_at == 1 ? 1 : path->name_at - 1);
    hash_table_add(&paths->table, &path->entry);
    return path;
}

struct path *paths_intern(struct paths *paths, const char *text, size_t length)
{
    assert(length > 0 && text[0] == '/');
    uint64_t hash = hash_of(text, length);
    struct hash_entry *entry = hash_table_bucket(&paths->table, hash);
    for (; entry != NULL; entry = entry->next) {
        struct path *path = (struct path *)entry;
        if (entry->hash == hash && path->length == length && memcmp(path->text, text, length) == 0)
            return path_hold(path);
    }
    return make(paths, text, length, hash);
}

struct path *paths_intern_sequential(struct paths *paths, const struct path *prefix, int32_t number)
{
    size_t size = prefix->length + sizeof "-2147483648";
    char *text = pool_alloc(paths->pool, size);
    int length = snprintf(text, size, "%s%010d", prefix->text, number);
    struct path *path = paths_intern(paths, text, (size_t)length);
    pool_give(text);
    return path;
}

struct path *path_hold(struct path *path)
{
    path->references++;
    return path;
}

void paths_release(struct paths *paths, struct path *path)
{
    while (path != NULL && --path->references == 0) {
        struct path *parent = path->parent;
        hash_table_remove(&paths->table, &path->entry);
        paths->free_ids[paths->free_count++] = path->id;
        pool_give(path);
        path = parent;
    }
}

/* ------------------------------------------------------------------ values */

struct value *value_new(struct pool *pool, const void *bytes, size_t length)
{
    if (length == 0)
        return NULL;
    struct value *value = pool_alloc(pool, sizeof *value + length);
    value->references = 1;
    value->length = (uint32_t)length;
    memcpy(value->bytes, bytes, length);
    return value;
}

struct value *value_hold(struct value *value)
{
    if (value != NULL)
        value->references++;
    return value;
}

void value_release(struct value *value)
{
    if (value != NULL && --value->references == 0)
        pool_give(value);
}
