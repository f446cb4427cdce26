// SPDX-License-Identifier: Apache-2.0
/*
 * watches: who waits to hear of which znode, once. Layer: sim, below the simulation.
 *
 * A server keeps two kinds: on a znode's data, which also hear of its creation, and on its
 * children. A client keeps three, since it is the client that knows whether the znode was there
 * when it asked; from these it sets its watches again on another server.
 *
 * Invariant: a watcher has a path at most once a kind; those of a path and kind are in the order in
 * which they came.
 */
#ifndef SIM_WATCHES_H
#define SIM_WATCHES_H

#include "client/client.h"
#include "sim/path.h"
#include "sim/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum watch_kind {
    WATCH_DATA,   /* of a server: also of what is not there yet */
    WATCH_CHILD,  /* a znode's children */
    WATCH_ABSENT, /* of a client: exists, and it was not there */
};

#define WATCH_KINDS 3

struct watch {
    struct path *path;
    uint32_t watcher;
    enum watch_kind kind;
    struct watch *in_bucket;
    struct watch *after, *before;          /* of its path and kind */
    struct watch *next_own, *previous_own; /* of its watcher, in the order in which they came */
};

struct watch_list {
    struct watch *first;
    struct watch *last;
};

struct watch_lists {
    struct watch_list of_kind[WATCH_KINDS];
};

struct watches {
    struct slab *slab;
    struct paths *paths;
    struct watch **buckets;
    size_t bucket_count;
    size_t count;
    struct watch_lists *lists; /* by a path's id */
    size_t list_capacity;
    struct watch_list *own; /* by watcher */
    size_t own_capacity;
};

/* Who is told of a fired watch. */
struct watches_ear {
    void (*fired)(void *context, uint32_t watcher, enum client_event event, struct path *path);
    void *context;
};

void watches_init(struct watches *watches, struct slab *slab, struct paths *paths);

/* Sets a watch; one that is there stays as it is. */
void watches_add(struct watches *watches, uint32_t watcher, struct path *path,
                 enum watch_kind kind);

/* Takes a watch away; false if there is none. */
bool watches_remove(struct watches *watches, uint32_t watcher, const struct path *path,
                    enum watch_kind kind);

/* Takes all of a watcher's away. */
void watches_drop(struct watches *watches, uint32_t watcher);

/* A watcher's oldest watch, NULL if it has none; next_own leads to the others. */
const struct watch *watches_of(const struct watches *watches, uint32_t watcher);

/*
 * Fires what a server's watches are to hear of a change: takes them away and tells the ear. A
 * creation: the znode's data watches (created), the parent's child watches (child). A deletion: its
 * data and its child watches (deleted), a watcher that has both being told once, and the parent's
 * child watches. A set: the data watches (changed). Returns how many watches fired.
 */
size_t watches_created(struct watches *watches, struct path *path, struct watches_ear ear);
size_t watches_deleted(struct watches *watches, struct path *path, struct watches_ear ear);
size_t watches_changed(struct watches *watches, struct path *path, struct watches_ear ear);

#endif
