// SPDX-License-Identifier: Apache-2.0
/*
 * watches: which sessions watch which znodes. Layer: sim.
 *
 * A server has two kinds: data watches, which a creation fires too, and child watches. A client has
 * three, because only the client knows whether the znode existed when it set the watch; it sets its
 * watches again on another server.
 *
 * Invariant: a watcher has at most one watch of a path and kind; those of a path and kind are in
 * the order in which they were set.
 */
#ifndef SIM_WATCHES_H
#define SIM_WATCHES_H

#include "client/client.h"
#include "sim/path.h"

#include <stdbool.h>

enum watch_kind {
    WATCH_DATA,   /* of a server: also on a znode that does not exist */
    WATCH_CHILD,  /* on a znode's children */
    WATCH_ABSENT, /* of a client: of an exists without a znode */
};

#define WATCH_KINDS 3

struct watch {
    struct hash_entry entry;
    struct path *path;
    uint32_t watcher;
    enum watch_kind kind;
    struct watch *after, *before;          /* of its path and kind */
    struct watch *next_own, *previous_own; /* of its watcher */
};

struct watch_list {
    struct watch *first, *last;
};

struct watch_lists {
    struct watch_list of_kind[WATCH_KINDS];
};

struct watches {
    struct paths *paths;
    struct hash_table table;
    struct watch_lists *lists; /* by path id */
    size_t list_capacity;
    struct watch_list *own; /* by watcher */
    size_t own_capacity;
    /* The callback for each notification of a server, and its context. */
    void (*fired)(void *context, uint32_t watcher, enum client_event event, struct path *path);
    void *context;
};

void watches_init(struct watches *watches, struct paths *paths);

/* Sets a watch, if it is not set; removes one, false if there is none; removes all of a watcher. */
void watches_add(struct watches *watches, uint32_t watcher, struct path *path,
                 enum watch_kind kind);
bool watches_remove(struct watches *watches, uint32_t watcher, const struct path *path,
                    enum watch_kind kind);
void watches_drop(struct watches *watches, uint32_t watcher);

/* A watcher's oldest watch, NULL if it has none; next_own goes to the others. */
struct watch *watches_of(const struct watches *watches, uint32_t watcher);

/* Fires a server's watches after a change: removes them and calls back. A creation fires the
 * znode's data watches (created) and the parent's child watches (child). A deletion fires its data
 * and its child watches (deleted; one call for a watcher that has both) and the parent's child
 * watches. A set fires the data watches (changed). A check fires none. Returns how many fired. */
size_t watches_fire(struct watches *watches, enum operation change, struct path *path);

#endif
