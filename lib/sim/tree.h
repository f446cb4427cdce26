// SPDX-License-Identifier: Apache-2.0
/*
 * tree: the znodes of one simulated server, and what a write does to them. Layer: sim.
 *
 * The number of children ever created below a znode is the number of its next sequential child. It
 * is a signed number of 32 bits, and becomes negative after 2147483647.
 *
 * A tree begins with /zookeeper and the znodes in it, and depends only on the changes that it was
 * given; so servers that carry out the same changes in the same order have the same znodes.
 *
 * Invariant: a list of changes is carried out completely, or not at all.
 */
#ifndef SIM_TREE_H
#define SIM_TREE_H

#include "client/client.h"
#include "sim/path.h"

#include <stdbool.h>
#include <sys/queue.h>

/* The names of a znode's children in the order of their creation, as they were at one moment. */
struct names {
    uint32_t references;
    size_t count;
    uint64_t bytes;      /* the lengths of the names, summed */
    const char *texts[]; /* behind them the names themselves */
};

/* Removes a reference; NULL is fine. */
void names_release(struct names *names);

#define TREE_NO_OWNER 0u /* of a znode that is not ephemeral; else the session's number */

/* A part of a write. */
struct change {
    enum operation operation; /* OP_CREATE, _SET, _DELETE or _CHECK */
    bool sequential;          /* create: the path still lacks its number */
    int32_t version;          /* set, delete, check: as of struct request */
    uint32_t owner;           /* create: TREE_NO_OWNER, or the session of an ephemeral */
    struct path *path;
    struct value *value; /* create, set */
};

struct node {
    struct path *path;
    struct value *value;
    TAILQ_HEAD(nodes, node) children; /* in the order of creation */
    TAILQ_ENTRY(node) siblings;
    struct names *names; /* of its children; NULL: not listed since one came or went */
    size_t child_count;
    uint64_t name_bytes; /* the lengths of its children's names, summed */
    uint64_t modified_zxid;
    uint64_t children_zxid; /* of the last create or delete of a child */
    uint32_t owner;
    int32_t version;
    int32_t creates;
    struct node *owned_after, *owned_before; /* of the same owner */
};

/* A session's ephemerals, in the order of creation. */
struct tree_owned {
    struct node *first, *last;
};

struct tree {
    struct paths *paths;
    struct node **nodes; /* by path id */
    size_t node_capacity;
    struct tree_owned *owned; /* by a session's number */
    size_t owned_capacity;
    size_t count;
    size_t ephemerals;
};

void tree_init(struct tree *tree, struct paths *paths);

/* The znode there, the tree's; NULL if there is none. Only the tree changes it. */
struct node *tree_find(const struct tree *tree, const struct path *path);

/* The names of a znode's children. Adds a reference, the caller's. */
struct names *tree_list(const struct tree *tree, struct node *node);

/*
 * Carries out the changes (1 or more), in this order, as the transaction with this number. Returns
 * ZK_OK; or the ZK_NO_NODE, ZK_NODE_EXISTS, ZK_BAD_VERSION, ZK_NOT_EMPTY or ZK_OTHER_ERROR (a child
 * of an ephemeral, the deletion of the root) of the first that fails, with the tree unchanged
 * except for the order of children.
 *
 * A sequential create gets its number here, in its path, also if it or a later part fails.
 */
enum zk_status tree_carry_out(struct tree *tree, uint64_t zxid, struct change *changes,
                              size_t count);

/* A session's oldest ephemeral, NULL if it has none; owned_after goes to the others. */
const struct node *tree_owned_first(const struct tree *tree, uint32_t owner);

#endif
