// SPDX-License-Identifier: Apache-2.0
/*
 * id_tree: a tree of tsearch whose elements are found by an id, such as a session's, or by a path.
 * Layer: base.
 *
 * An element is a struct of the caller's whose first member is the key: an int64_t, or a char *
 * that is the element's to free. Freed as a whole by tdestroy, with the caller's function, or
 * path_tree_free_element.
 */
#ifndef BASE_ID_TREE_H
#define BASE_ID_TREE_H

#include <stddef.h>
#include <stdint.h>

/* NULL: no element. */
typedef void *id_tree;

/* The element with an id: NULL if there is none, or made then, of `size` bytes that are otherwise
 * zero. One that is removed is the caller's to free. */
void *id_tree_find(const id_tree *tree, int64_t id);
void *id_tree_find_or_add(id_tree *tree, int64_t id, size_t size);
void id_tree_remove(id_tree *tree, const void *element);

/* The same by a path. */
typedef void *path_tree;
void *path_tree_find(const path_tree *tree, const char *path);
void *path_tree_find_or_add(path_tree *tree, const char *path, size_t size);

/* Frees an element with its path; removed: after it has left the tree. */
void path_tree_free_element(void *element);
void path_tree_remove(path_tree *tree, void *element);

#endif
