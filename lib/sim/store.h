// SPDX-License-Identifier: Apache-2.0
/*
 * store: what the servers of a simulation keep, and the memory that it lies in. Layer: sim, below
 * the simulation.
 */
#ifndef SIM_STORE_H
#define SIM_STORE_H

#include "client/client.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Slab: memory for a simulation, with a free list for each size.
 *
 * A simulation takes and gives a few pieces for every event; in a steady state all come from the
 * free lists.
 *
 * Invariant: a piece is given back with the size that it was taken with. All memory is freed at
 * once, with the slab.
 */

#define SLAB_SIZES 64

struct slab {
    void *given_back[SLAB_SIZES]; /* free lists; a piece's first word points to the next */
    char *chunk;                  /* the unused rest of a block, for small pieces */
    size_t chunk_left;
    void *blocks; /* from the system; a block's first word points to the next */
};

void slab_init(struct slab *slab);
void slab_deinit(struct slab *slab);

/* A piece of at least this size (not 0), aligned to 16 bytes, with undefined contents. Never NULL
 * (base/memory.h). */
void *slab_take(struct slab *slab, size_t size) __attribute__((returns_nonnull));

/* Gives a piece back; NULL is fine. */
void slab_give(struct slab *slab, void *piece, size_t size);

/* Returns the array with room for an element of this index: itself, or a copy of at least twice the
 * capacity, whose new elements are zero. NULL is an array without elements. */
void *slab_grow(struct slab *slab, void *array, size_t *capacity, size_t index, size_t size);

/* The same ring of elements with twice the capacity, once it is full: the element at the head is at
 * index 0 then. The capacity is a power of two; NULL is a ring without elements. */
void *slab_widen(struct slab *slab, void *ring, size_t *capacity, size_t *head, size_t size);

/*
 * Path: the paths of a simulation's znodes, each kept once.
 *
 * A path has a small number, its id, which is an index of arrays. Servers, watches and messages
 * share it, and count their references to it.
 *
 * Invariant: no two paths have the same text, and a path holds its parent.
 */

struct path {
    struct path *parent; /* NULL for "/" */
    struct path *next;   /* in the same bucket */
    uint32_t hash;
    uint32_t references;
    uint32_t id; /* given to another path when this one is freed */
    uint32_t length;
    uint32_t name_at; /* index of the last component */
    char text[];
};

struct paths {
    struct slab *slab;
    struct path **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
    uint32_t *free_ids;
    size_t free_capacity;
    size_t free_count;
    uint32_t ids; /* ever given */
};

/* The memory is the slab's. */
void paths_init(struct paths *paths, struct slab *slab);

/* The path of this text, which begins with '/'. Adds a reference, the caller's. */
struct path *paths_take(struct paths *paths, const char *text, size_t length);

/* The path of a sequential znode: the prefix and this number, as the server writes it. Adds a
 * reference, the caller's. */
struct path *paths_take_sequential(struct paths *paths, const struct path *prefix, int32_t number);

/* Adds a reference; removes one (NULL is fine). */
struct path *path_hold(struct path *path);
void paths_release(struct paths *paths, struct path *path);

/* The last component, and its length. */
const char *path_name(const struct path *path);
size_t path_name_length(const struct path *path);

/*
 * Value: the data of a znode, shared by all servers of a simulation and the messages that carry it.
 *
 *
 * Invariant: its bytes never change; a znode without data has NULL.
 */

struct value {
    uint32_t references;
    uint32_t length;
    char bytes[];
};

/* A copy of these bytes with one reference, the caller's; NULL if there are none. */
struct value *value_take(struct slab *slab, const void *bytes, size_t length);

/* Adds a reference; removes one. NULL is fine. */
struct value *value_hold(struct value *value);
void value_release(struct slab *slab, struct value *value);

/*
 * Children: the children of a znode in the order of their creation, so that to list them costs
 * O(1).
 *
 * Pointers to the names lie in one array, as a reply has them, and their text is contiguous. A view
 * is a part of that array at one moment, and does not change while children are added and removed.
 * To remove the first child and to add one costs O(1); to remove another one costs a copy of the
 * array while a view of it is held, else a move of the elements behind it.
 *
 * Invariant: an element of an array that a view may show, and its text, is never written again.
 */

struct children_array;

/* All zero: none. */
struct children {
    struct children_array *array;
    uint32_t head; /* index of the first child in the array */
    uint32_t tail; /* index behind the last child */
    uint64_t gone; /* sum of `head` of former arrays */
    uint64_t name_bytes;
};

/* A list of children. All zero: empty. */
struct children_view {
    struct children_array *array;
    const char *const *names;
    size_t count;
    uint64_t name_bytes; /* the lengths of the names, summed */
};

/* Adds a child as the last; its path must live until it is removed. Returns its mark, for
 * children_remove. */
uint64_t children_add(struct children *children, struct slab *slab, const struct path *child);

/* Removes a child that is there. */
void children_remove(struct children *children, struct slab *slab, const struct path *child,
                     uint64_t mark);

size_t children_count(const struct children *children);

/* The present children; the view is the caller's to release. */
struct children_view children_view(const struct children *children);

/* Releases a view, and makes it empty. */
void children_view_release(struct children_view *view, struct slab *slab);

/* Removes all children, and frees their memory. */
void children_clear(struct children *children, struct slab *slab);

/*
 * Tree: the znodes of one simulated server, and what a write does to them. Layer: sim, below the
 * simulation.
 *
 * The number of children ever created below a znode is the number of its next sequential child. It
 * is a signed number of 32 bits, and becomes negative after 2147483647.
 *
 * A tree begins with /zookeeper and the znodes in it, and depends only on the changes that it was
 * given; so servers that carry out the same changes in the same order have the same znodes.
 *
 * Invariant: a list of changes is carried out completely, or not at all.
 */

/* The owner of a znode that is not ephemeral; of others the session's number. */
#define TREE_NOBODY 0u

/* A part of a write. */
struct change {
    enum operation operation; /* OP_CREATE, _SET, _DELETE or _CHECK */
    bool sequential;          /* create: the path still lacks its number */
    int32_t version;          /* set, delete, check: as of struct request */
    uint32_t owner;           /* create: TREE_NOBODY, or the session of an ephemeral */
    struct path *path;
    struct value *value; /* create, set */
};

struct node {
    struct path *path;
    struct value *value;
    struct children children;
    uint64_t mark; /* of children_add */
    uint64_t modified_zxid;
    uint64_t children_zxid; /* of the last create or delete of a child */
    uint32_t owner;
    int32_t version;
    int32_t creates;
    struct node *owned_next; /* in struct tree_owned */
    struct node *owned_previous;
};

/* A session's ephemerals, in the order of creation. */
struct tree_owned {
    struct node *first;
    struct node *last;
};

struct tree {
    struct slab *slab;
    struct paths *paths;
    struct node **nodes; /* by path id */
    size_t node_capacity;
    struct tree_owned *owned; /* by a session's number */
    size_t owned_capacity;
    size_t count;
    size_t ephemerals;
};

void tree_init(struct tree *tree, struct slab *slab, struct paths *paths);

/* The znode there, the tree's; NULL if there is none. Only the tree changes it. */
struct node *tree_find(const struct tree *tree, const struct path *path);

/*
 * Carries out the changes, in this order, as the transaction with this number. Returns ZK_OK; or
 * the ZK_NO_NODE, ZK_NODE_EXISTS, ZK_BAD_VERSION, ZK_NOT_EMPTY or ZK_OTHER_ERROR (a child of an
 * ephemeral, the deletion of the root) of the first that fails, with the tree unchanged except for
 * the order of children.
 *
 * A sequential create gets its number here, in its path, also if it or a later part fails. More
 * than REQUEST_PARTS_MAX changes must be deletions that cannot fail.
 */
enum zk_status tree_carry_out(struct tree *tree, uint64_t zxid, struct change *changes,
                              size_t count);

/* A session's oldest ephemeral, NULL if it has none; owned_next leads to the others. */
const struct node *tree_owned_first(const struct tree *tree, uint32_t owner);

/*
 * Watches: which sessions watch which znodes.
 *
 * A server has two kinds: data watches, which a creation fires too, and child watches. A client has
 * three, because only the client knows whether the znode existed when it set the watch; it sets its
 * watches again on another server.
 *
 * Invariant: a watcher has at most one watch of a path and kind; those of a path and kind are in
 * the order in which they were set.
 */

enum watch_kind {
    WATCH_DATA,   /* of a server: also on a znode that does not exist */
    WATCH_CHILD,  /* on a znode's children */
    WATCH_ABSENT, /* of a client: of an exists without a znode */
};

#define WATCH_KINDS 3

struct watch {
    struct path *path;
    uint32_t watcher;
    enum watch_kind kind;
    struct watch *in_bucket;
    struct watch *after, *before;          /* of its path and kind */
    struct watch *next_own, *previous_own; /* of its watcher */
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
    struct watch_lists *lists; /* by path id */
    size_t list_capacity;
    struct watch_list *own; /* by watcher */
    size_t own_capacity;
};

/* The callback for each notification. */
struct watches_ear {
    void (*fired)(void *context, uint32_t watcher, enum client_event event, struct path *path);
    void *context;
};

void watches_init(struct watches *watches, struct slab *slab, struct paths *paths);

/* Sets a watch, unless it is set already. */
void watches_add(struct watches *watches, uint32_t watcher, struct path *path,
                 enum watch_kind kind);

/* Removes a watch; false if there is none. */
bool watches_remove(struct watches *watches, uint32_t watcher, const struct path *path,
                    enum watch_kind kind);

/* Removes all watches of a watcher. */
void watches_drop(struct watches *watches, uint32_t watcher);

/* A watcher's oldest watch, NULL if it has none; next_own leads to the others. */
const struct watch *watches_of(const struct watches *watches, uint32_t watcher);

/*
 * Fires a server's watches after a change: removes them and calls the ear. A creation fires the
 * znode's data watches (created) and the parent's child watches (child). A deletion fires its data
 * and its child watches (deleted; one call for a watcher that has both) and the parent's child
 * watches. A set fires the data watches (changed). Returns how many watches fired.
 */
size_t watches_created(struct watches *watches, struct path *path, struct watches_ear ear);
size_t watches_deleted(struct watches *watches, struct path *path, struct watches_ear ear);
size_t watches_changed(struct watches *watches, struct path *path, struct watches_ear ear);

#endif
