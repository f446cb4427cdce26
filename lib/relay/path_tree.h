// SPDX-License-Identifier: Apache-2.0
/*
 * path_tree: a tree of tsearch whose nodes are found by a path. Layer: relay.
 *
 * A node is a struct of the caller's that begins with a struct path_node. Invariant: a shorter path
 * comes before a longer one, so that a znode comes behind the one above it.
 */
#ifndef RELAY_PATH_TREE_H
#define RELAY_PATH_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct path_node {
    const char *path; /* the node's own, with a NUL behind it */
    size_t length;
    char *copy;
};

/* NULL: no node. */
typedef void *path_tree;

/* The node of a path, or NULL. */
void *path_tree_find(const path_tree *tree, const char *path, size_t length);

/* The node of a path, which is made, with so many bytes that are otherwise zero, if there is none.
 */
void *path_tree_take(path_tree *tree, const char *path, size_t length, size_t size);

/* Frees all nodes; `release` frees what else is in one; NULL: nothing is. */
void path_tree_free(path_tree *tree, void (*release)(void *node));

/* The length of the path of the znode above; 0 for the root, which it is also for a znode just
 * below. */
size_t path_tree_parent(const char *path, size_t length);

#endif
