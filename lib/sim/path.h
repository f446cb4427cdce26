// SPDX-License-Identifier: Apache-2.0
/*
 * path: the paths of a simulation's znodes, each kept once, and their data. Layer: sim.
 *
 * A path has a small number, its id, which is an index of arrays. Servers, watches and messages
 * share paths and values, and count their references to them.
 *
 * Invariant: no two paths have the same text, and a path holds its parent. A value never changes.
 */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include "sim/pool.h"

struct path {
    struct hash_entry entry;
    struct path *parent; /* NULL for "/" */
    uint32_t references;
    uint32_t id; /* given to another path when this one is freed */
    uint32_t length;
    uint32_t name_at; /* index of the last component */
    char text[];
};

struct paths {
    struct pool *pool;
    struct hash_table table;
    uint32_t *free_ids;
    size_t free_capacity;
    size_t free_count;
    uint32_t ids; /* ever given */
};

void paths_init(struct paths *paths, struct pool *pool);

/* The path of this text, which begins with '/'. Adds a reference, the caller's. */
struct path *paths_intern(struct paths *paths, const char *text, size_t length);

/* The same of a sequential znode: the prefix, and this number as the server writes it. */
struct path *paths_intern_sequential(struct paths *paths, const struct path *prefix,
                                     int32_t number);

/* Adds a reference; removes one (NULL is fine). */
struct path *path_hold(struct path *path);
void paths_release(struct paths *paths, struct path *path);

/* The data of a znode; NULL for a znode without. */
struct value {
    uint32_t references;
    uint32_t length;
    char bytes[];
};

/* A copy of these bytes with one reference, the caller's; NULL if there are none. */
struct value *value_new(struct pool *pool, const void *bytes, size_t length);

/* Adds a reference; removes one. NULL is fine. */
struct value *value_hold(struct value *value);
void value_release(struct value *value);

#endif
