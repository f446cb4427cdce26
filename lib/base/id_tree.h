// SPDX-License-Identifier: Apache-2.0
/*
 * id_tree: a tree of tsearch whose elements are found by an id, such as a session's. Layer: base.
 *
 * An element is a struct of the caller's whose first member is the id, an int64_t. Freed as a whole
 * by tdestroy, with the caller's function.
 */
#ifndef BASE_ID_TREE_H
#define BASE_ID_TREE_H

#include <stddef.h>
#include <stdint.h>

/* NULL: no element. */
typedef void *id_tree;

/* The element with an id, or NULL. */
void *id_tree_find(const id_tree *tree, int64_t id);

/* The element with an id, which is made, with so many bytes that are otherwise zero, if there is
 * none. */
void *id_tree_take(id_tree *tree, int64_t id, size_t size);

/* Takes an element out, which is the caller's to free. */
void id_tree_remove(id_tree *tree, const void *element);

#endif
