// SPDX-License-Identifier: Apache-2.0
#include "sim/path.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIRST_BUCKETS ((size_t)1024)

static size_t size_of(size_t length)
{
    return offsetof(struct path, text) + length + 1;
}

static uint32_t hash_of(const char *text, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < 8 ? length - i : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 16);
}

static struct path **new_buckets(struct slab *slab, size_t count)
{
    size_t none = 0;
    return slab_grow(slab, NULL, &none, count - 1, sizeof(struct path *));
}

void paths_init(struct paths *paths, struct slab *slab)
{
    *paths = (struct paths){
        .slab = slab, .buckets = new_buckets(slab, FIRST_BUCKETS), .bucket_count = FIRST_BUCKETS};
}

static void rehash(struct paths *paths)
{
    size_t count = paths->bucket_count * 2;
    struct path **buckets = new_buckets(paths->slab, count);
    for (size_t i = 0; i < paths->bucket_count; i++) {
        for (struct path *path = paths->buckets[i], *next; path != NULL; path = next) {
            struct path **bucket = &buckets[path->hash & (count - 1)];
            next = path->next;
            path->next = *bucket;
            *bucket = path;
        }
    }
    slab_give(paths->slab, paths->buckets, paths->bucket_count * sizeof(struct path *));
    paths->buckets = buckets;
    paths->bucket_count = count;
}

static struct path *make(struct paths *paths, const char *text, size_t length, uint32_t hash)
{
    struct path *path = slab_take(paths->slab, size_of(length));
    if (paths->free_count == 0)
        paths->free_ids = slab_grow(paths->slab, paths->free_ids, &paths->free_capacity, paths->ids,
                                    sizeof *paths->free_ids);
    *path = (struct path){.hash = hash,
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
        path->parent = paths_take(paths, text, path->name_at == 1 ? 1 : path->name_at - 1);
    if (++paths->count > paths->bucket_count)
        rehash(paths);
    struct path **bucket = &paths->buckets[hash & (paths->bucket_count - 1)];
    path->next = *bucket;
    *bucket = path;
    return path;
}

struct path *paths_take(struct paths *paths, const char *text, size_t length)
{
    assert(length > 0 && text[0] == '/');
    uint32_t hash = hash_of(text, length);
    struct path *path = paths->buckets[hash & (paths->bucket_count - 1)];
    while (path != NULL &&
           (path->hash != hash || path->length != length || memcmp(path->text, text, length) != 0))
        path = path->next;
    return path != NULL ? path_hold(path) : make(paths, text, length, hash);
}

struct path *paths_take_sequential(struct paths *paths, const struct path *prefix, int32_t number)
{
    size_t size = prefix->length + sizeof "-2147483648";
    char *text = slab_take(paths->slab, size);
    memcpy(text, prefix->text, prefix->length);
    int digits = snprintf(text + prefix->length, size - prefix->length, "%010d", number);
    struct path *path = paths_take(paths, text, prefix->length + (size_t)digits);
    slab_give(paths->slab, text, size);
    return path;
}

struct path *path_hold(struct path *path)
{
    path->references++;
    return path;
}

static void destroy(struct paths *paths, struct path *path)
{
    struct path **link = &paths->buckets[path->hash & (paths->bucket_count - 1)];
    while (*link != path)
        link = &(*link)->next;
    *link = path->next;
    paths->free_ids[paths->free_count++] = path->id;
    paths->count--;
    slab_give(paths->slab, path, size_of(path->length));
}

void paths_release(struct paths *paths, struct path *path)
{
    while (path != NULL && --path->references == 0) {
        struct path *parent = path->parent;
        destroy(paths, path);
        path = parent;
    }
}

const char *path_name(const struct path *path)
{
    return path->text + path->name_at;
}

size_t path_name_length(const struct path *path)
{
    return path->length - path->name_at;
}

/* ------------------------------------------------------------------ values */

struct value *value_take(struct slab *slab, const void *bytes, size_t length)
{
    if (length == 0)
        return NULL;
    struct value *value = slab_take(slab, sizeof *value + length);
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

void value_release(struct slab *slab, struct value *value)
{
    if (value != NULL && --value->references == 0)
        slab_give(slab, value, sizeof *value + value->length);
}
