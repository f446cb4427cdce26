// SPDX-License-Identifier: Apache-2.0
/*
 * tree: the znodes of one simulated server, and what a write does to them. Layer: sim, below the
 * simulation.
 *
 * A znode knows its data and their version, who owns it if it is ephemeral, and how many children
 * were ever created below it: that count is the next sequential child's number. It is a signed
 * number of 32 bits, and becomes negative behind 2147483647.
 *
 * A tree is a pure function of the changes that it was given, so servers that carry out the same
 * changes in the same order have the same znodes. It knows no watches: what happened is to be read
 * from the changes. It begins as a fresh ZooKeeper does, with /zookeeper and what is in it.
 *
 * Invariant: a list of changes is carried out in full, or nothing of it is.
 */
#ifndef SIM_TREE_H
#define SIM_TREE_H

#include "client/client.h"
#include "sim/children.h"
#include "sim/path.h"
#include "sim/slab.h"
#include "sim/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who made an ephemeral znode: a session's number. */
#define TREE_NOBODY 0u

/* A part of a write, its path resolved: a sequential create has its number behind it. */
struct change {
    enum operation operation; /* OP_CREATE, _SET, _DELETE or _CHECK */
    bool sequential;          /* create: the path is still to get its number */
    int32_t version;          /* set, delete, check: REQUEST_ANY_VERSION, or what it must be */
    uint32_t owner;           /* create: TREE_NOBODY, or an ephemeral's session */
    struct path *path;
    struct value *value; /* create, set */
};

struct node {
    struct path *path;
    struct value *value;
    struct children children;
    uint64_t mark; /* among its parent's children */
    uint64_t modified_zxid;
    uint64_t children_zxid; /* of the last create or delete right below it */
    uint32_t owner;
    int32_t version;
    int32_t creates;
    struct node *owned_next; /* the next ephemeral of its owner, in the order of creation */
    struct node *owned_previous;
};

/* A session's ephemerals. */
struct tree_owned {
    struct node *first;
    struct node *last;
};

struct tree {
    struct slab *slab;
    struct paths *paths;
    struct node **nodes; /* by a path's id */
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
 * Carries out the changes, in this order, under this transaction's number. Returns ZK_OK; or
 * ZK_NO_NODE, ZK_NODE_EXISTS, ZK_BAD_VERSION, ZK_NOT_EMPTY or ZK_OTHER_ERROR (a child for an
 * ephemeral, the root's deletion) of the first that fails, with the tree as it was but for the
 * order of children.
 *
 * A sequential create is resolved here: its path becomes the znode's, also if it or a later part
 * fails. More than REQUEST_PARTS_MAX changes can only be deletions that cannot fail.
 */
enum zk_status tree_carry_out(struct tree *tree, uint64_t zxid, struct change *changes,
                              size_t count);

/* A session's oldest ephemeral, NULL if it has none; owned_next leads to the others. */
const struct node *tree_owned_first(const struct tree *tree, uint32_t owner);

#endif
