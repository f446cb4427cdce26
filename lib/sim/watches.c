// SPDX-License-Identifier: Apache-2.0
#include "sim/watches.h"

void watches_init(struct watches *watches, struct paths *paths)
{
    *watches = (struct watches){.paths = paths};
    hash_table_init(&watches->table, paths->pool);
}

static uint64_t hash_of(uint32_t watcher, const struct path *path, enum watch_kind kind)
{
    uint64_t key = (uint64_t)path->id << 34 ^ (uint64_t)watcher << 2 ^ (uint64_t)kind;
    return key * 0x9e3779b97f4a7c15u >> 24;
}

static struct watch *find(const struct watches *watches, uint32_t watcher, const struct path *path,
                          enum watch_kind kind)
{
    struct hash_entry *entry = hash_table_bucket(&watches->table, hash_of(watcher, path, kind));
    for (; entry != NULL; entry = entry->next) {
        struct watch *watch = (struct watch *)entry;
        if (watch->watcher == watcher && watch->path == path && watch->kind == kind)
            return watch;
    }
    return NULL;
}

/* ------------------------------------------------------------------ setting and removing */

void watches_add(struct watches *watches, uint32_t watcher, struct path *path, enum watch_kind kind)
{
    if (find(watches, watcher, path, kind) != NULL)
        return;
    watches->lists = pool_grow(watches->paths->pool, watches->lists, &watches->list_capacity,
                               path->id, sizeof *watches->lists);
    watches->own = pool_grow(watches->paths->pool, watches->own, &watches->own_capacity, watcher,
                             sizeof *watches->own);
    struct watch_list *list = &watches->lists[path->id].of_kind[kind];
    struct watch_list *own = &watches->own[watcher];
    struct watch *watch = pool_alloc(watches->paths->pool, sizeof *watch);
    *watch = (struct watch){.entry.hash = hash_of(watcher, path, kind),
                            .path = path_hold(path),
                            .watcher = watcher,
                            .kind = kind,
                            .before = list->last,
                            .previous_own = own->last};
    *(list->last == NULL ? &list->first : &list->last->after) = watch;
    *(own->last == NULL ? &own->first : &own->last->next_own) = watch;
    list->last = own->last = watch;
    hash_table_add(&watches->table, &watch->entry);
}

static void unlink_watch(struct watches *watches, struct watch *watch)
{
    struct watch_list *list = &watches->lists[watch->path->id].of_kind[watch->kind];
    struct watch_list *own = &watches->own[watch->watcher];
    *(watch->before == NULL ? &list->first : &watch->before->after) = watch->after;
    *(watch->after == NULL ? &list->last : &watch->after->before) = watch->before;
    *(watch->previous_own == NULL ? &own->first : &watch->previous_own->next_own) = watch->next_own;
    *(watch->next_own == NULL ? &own->last : &watch->next_own->previous_own) = watch->previous_own;
    hash_table_remove(&watches->table, &watch->entry);
    paths_release(watches->paths, watch->path);
    pool_give(watch);
}

bool watches_remove(struct watches *watches, uint32_t watcher, const struct path *path,
                    enum watch_kind kind)
{
    struct watch *watch = find(watches, watcher, path, kind);
    if (watch != NULL)
        unlink_watch(watches, watch);
    return watch != NULL;
}

struct watch *watches_of(const struct watches *watches, uint32_t watcher)
{
    return watcher < watches->own_capacity ? watches->own[watcher].first : NULL;
}

void watches_drop(struct watches *watches, uint32_t watcher)
{
    struct watch *watch;
    while ((watch = watches_of(watches, watcher)) != NULL)
        unlink_watch(watches, watch);
}

/* ------------------------------------------------------------------ firing */

static struct watch *first_of(const struct watches *watches, const struct path *path,
                              enum watch_kind kind)
{
    return path->id < watches->list_capacity ? watches->lists[path->id].of_kind[kind].first : NULL;
}

static size_t fire(struct watches *watches, struct path *path, enum watch_kind kind,
                   enum client_event event)
{
    size_t fired = 0;
    struct watch *watch;
    while ((watch = first_of(watches, path, kind)) != NULL) {
        uint32_t watcher = watch->watcher;
        unlink_watch(watches, watch);
        watches->fired(watches->context, watcher, event, path);
        fired++;
    }
    return fired;
}

/* Removes the child watches of watchers that have a data watch too: they get one notification. */
static size_t fire_silently(struct watches *watches, const struct path *path)
{
    size_t fired = 0;
    struct watch *next;
    for (struct watch *watch = first_of(watches, path, WATCH_CHILD); watch != NULL; watch = next) {
        next = watch->after;
        if (find(watches, watch->watcher, path, WATCH_DATA) == NULL)
            continue;
        unlink_watch(watches, watch);
        fired++;
    }
    return fired;
}

size_t watches_fire(struct watches *watches, enum operation change, struct path *path)
{
    size_t fired = 0;
    if (change == OP_SET)
        return fire(watches, path, WATCH_DATA, EVENT_CHANGED);
    if (change == OP_CREATE) {
        fired = fire(watches, path, WATCH_DATA, EVENT_CREATED);
    } else if (change == OP_DELETE) {
        fired = fire_silently(watches, path);
        fired += fire(watches, path, WATCH_DATA, EVENT_DELETED);
        fired += fire(watches, path, WATCH_CHILD, EVENT_DELETED);
    } else {
        return 0;
    }
    return fired + fire(watches, path->parent, WATCH_CHILD, EVENT_CHILD);
}
