// SPDX-License-Identifier: Apache-2.0
#include "sim/watches.h"

#include <assert.h>

#define FIRST_BUCKETS ((size_t)1024)

static struct watch **new_buckets(struct slab *slab, size_t count)
{
    size_t none = 0;
    return slab_grow(slab, NULL, &none, count - 1, sizeof(struct watch *));
}

void watches_init(struct watches *watches, struct slab *slab, struct paths *paths)
{
    *watches = (struct watches){.slab = slab,
                                .paths = paths,
                                .buckets = new_buckets(slab, FIRST_BUCKETS),
                                .bucket_count = FIRST_BUCKETS};
}

static struct watch **bucket_of(const struct watches *watches, uint32_t watcher, uint32_t path_id,
                                enum watch_kind kind)
{
    uint64_t key = (uint64_t)path_id << 34 ^ (uint64_t)watcher << 2 ^ (uint64_t)kind;
    key *= 0x9e3779b97f4a7c15u;
    return &watches->buckets[(key >> 24) & (watches->bucket_count - 1)];
}

static void rehash(struct watches *watches)
{
    struct watch **former = watches->buckets;
    size_t count = watches->bucket_count;
    watches->bucket_count *= 2;
    watches->buckets = new_buckets(watches->slab, watches->bucket_count);
    for (size_t i = 0; i < count; i++) {
        for (struct watch *watch = former[i], *next; watch != NULL; watch = next) {
            struct watch **bucket =
                bucket_of(watches, watch->watcher, watch->path->id, watch->kind);
            next = watch->in_bucket;
            watch->in_bucket = *bucket;
            *bucket = watch;
        }
    }
    slab_give(watches->slab, former, count * sizeof(struct watch *));
}

/* The link to the watch, or the one to set for a new watch. */
static struct watch **search(const struct watches *watches, uint32_t watcher,
                             const struct path *path, enum watch_kind kind)
{
    struct watch **link = bucket_of(watches, watcher, path->id, kind);
    while (*link != NULL &&
           ((*link)->watcher != watcher || (*link)->path != path || (*link)->kind != kind))
        link = &(*link)->in_bucket;
    return link;
}

static struct watch_list *list_of(const struct watches *watches, const struct path *path,
                                  enum watch_kind kind)
{
    return &watches->lists[path->id].of_kind[kind];
}

static void enter_lists(struct watches *watches, struct watch *watch)
{
    struct path *path = watch->path;
    watches->lists = slab_grow(watches->slab, watches->lists, &watches->list_capacity, path->id,
                               sizeof *watches->lists);
    struct watch_list *list = list_of(watches, path, watch->kind);
    watch->before = list->last;
    *(list->last == NULL ? &list->first : &list->last->after) = watch;
    list->last = watch;
    watches->own = slab_grow(watches->slab, watches->own, &watches->own_capacity, watch->watcher,
                             sizeof *watches->own);
    struct watch_list *own = &watches->own[watch->watcher];
    watch->previous_own = own->last;
    *(own->last == NULL ? &own->first : &own->last->next_own) = watch;
    own->last = watch;
}

static void leave_lists(struct watches *watches, struct watch *watch)
{
    struct watch_list *list = list_of(watches, watch->path, watch->kind);
    *(watch->before == NULL ? &list->first : &watch->before->after) = watch->after;
    *(watch->after == NULL ? &list->last : &watch->after->before) = watch->before;
    struct watch_list *own = &watches->own[watch->watcher];
    *(watch->previous_own == NULL ? &own->first : &watch->previous_own->next_own) = watch->next_own;
    *(watch->next_own == NULL ? &own->last : &watch->next_own->previous_own) = watch->previous_own;
}

void watches_add(struct watches *watches, uint32_t watcher, struct path *path, enum watch_kind kind)
{
    struct watch **link = search(watches, watcher, path, kind);
    if (*link != NULL)
        return;
    struct watch *watch = slab_take(watches->slab, sizeof *watch);
    *watch = (struct watch){.path = path_hold(path), .watcher = watcher, .kind = kind};
    *link = watch;
    enter_lists(watches, watch);
    if (++watches->count > watches->bucket_count)
        rehash(watches);
}

static void take_out(struct watches *watches, struct watch **link)
{
    struct watch *watch = *link;
    assert(watch != NULL);
    *link = watch->in_bucket;
    leave_lists(watches, watch);
    watches->count--;
    paths_release(watches->paths, watch->path);
    slab_give(watches->slab, watch, sizeof *watch);
}

bool watches_remove(struct watches *watches, uint32_t watcher, const struct path *path,
                    enum watch_kind kind)
{
    struct watch **link = search(watches, watcher, path, kind);
    if (*link == NULL)
        return false;
    take_out(watches, link);
    return true;
}

static void take_out_watch(struct watches *watches, const struct watch *watch)
{
    take_out(watches, search(watches, watch->watcher, watch->path, watch->kind));
}

const struct watch *watches_of(const struct watches *watches, uint32_t watcher)
{
    return watcher < watches->own_capacity ? watches->own[watcher].first : NULL;
}

void watches_drop(struct watches *watches, uint32_t watcher)
{
    const struct watch *watch;
    while ((watch = watches_of(watches, watcher)) != NULL)
        take_out_watch(watches, watch);
}

/* ------------------------------------------------------------------ firing */

static const struct watch *first_of(const struct watches *watches, const struct path *path,
                                    enum watch_kind kind)
{
    return path->id < watches->list_capacity ? list_of(watches, path, kind)->first : NULL;
}

static size_t fire(struct watches *watches, struct path *path, enum watch_kind kind,
                   enum client_event event, struct watches_ear ear)
{
    size_t fired = 0;
    const struct watch *watch;
    while ((watch = first_of(watches, path, kind)) != NULL) {
        uint32_t watcher = watch->watcher;
        take_out_watch(watches, watch);
        ear.fired(ear.context, watcher, event, path);
        fired++;
    }
    return fired;
}

/* Removes the child watches of watchers that have a data watch too: they get one notification. */
static size_t fire_silently(struct watches *watches, const struct path *path)
{
    size_t fired = 0;
    const struct watch *next;
    for (const struct watch *watch = first_of(watches, path, WATCH_CHILD); watch != NULL;
         watch = next) {
        next = watch->after;
        if (*search(watches, watch->watcher, path, WATCH_DATA) == NULL)
            continue;
        take_out_watch(watches, watch);
        fired++;
    }
    return fired;
}

size_t watches_fire(struct watches *watches, enum operation change, struct path *path,
                    struct watches_ear ear)
{
    if (change == OP_SET)
        return fire(watches, path, WATCH_DATA, EVENT_CHANGED, ear);
    if (change != OP_CREATE && change != OP_DELETE)
        return 0;
    size_t fired = 0;
    if (change == OP_CREATE) {
        fired += fire(watches, path, WATCH_DATA, EVENT_CREATED, ear);
    } else {
        fired += fire_silently(watches, path);
        fired += fire(watches, path, WATCH_DATA, EVENT_DELETED, ear);
        fired += fire(watches, path, WATCH_CHILD, EVENT_DELETED, ear);
    }
    return fired + fire(watches, path->parent, WATCH_CHILD, EVENT_CHILD, ear);
}
