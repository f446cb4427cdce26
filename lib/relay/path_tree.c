// SPDX-License-Identifier: Apache-2.0
#include "relay/path_tree.h"

#include "base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct path_node *first = a, *second = b;
    if (first->length != second->length)
        return first->length < second->length ? -1 : 1;
    return memcmp(first->path, second->path, first->length);
}

void *path_tree_find(const path_tree *tree, const char *path, size_t length)
{
    const struct path_node key = {.path = path, .length = length};
    void *const *found = tfind(&key, tree, compare);
    return found != NULL ? *found : NULL;
}

void *path_tree_take(path_tree *tree, const char *path, size_t length, size_t size)
{
    struct path_node *node = path_tree_find(tree, path, length);
    if (node != NULL)
        return node;
    node = memory_new(1, size);
    node->path = node->copy = memory_copy(path, length);
    node->length = length;
    (void)memory_or_end(tsearch(node, tree, compare));
    return node;
}

void path_tree_free(path_tree *tree, void (*release)(void *node))
{
    while (*tree != NULL) {
        struct path_node *node = *(struct path_node **)*tree;
        (void)tdelete(node, tree, compare);
        if (release != NULL)
            release(node);
        free(node->copy);
        free(node);
    }
}

size_t path_tree_parent(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}
