// SPDX-License-Identifier: Apache-2.0
#include "base/id_tree.h"

#include "base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const int64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

void *id_tree_find(const id_tree *tree, int64_t id)
{
    void *const *found = tfind(&id, tree, compare);
    return found != NULL ? *found : NULL;
}

void *id_tree_find_or_add(id_tree *tree, int64_t id, size_t size)
{
    int64_t *element = id_tree_find(tree, id);
    if (element != NULL)
        return element;
    element = memory_new(1, size);
    *element = id;
    (void)memory_or_end(tsearch(element, tree, compare));
    return element;
}

void id_tree_remove(id_tree *tree, const void *element)
{
    (void)tdelete(element, tree, compare);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void *path_tree_find(const path_tree *tree, const char *path)
{
    void *const *found = tfind(&path, tree, compare_paths);
    return found != NULL ? *found : NULL;
}

void *path_tree_find_or_add(path_tree *tree, const char *path, size_t size)
{
    char **element = path_tree_find(tree, path);
    if (element != NULL)
        return element;
    element = memory_new(1, size);
    *element = memory_text(path);
    (void)memory_or_end(tsearch(element, tree, compare_paths));
    return element;
}

void path_tree_free_element(void *element)
{
    free(*(char **)element);
    free(element);
}

void path_tree_remove(path_tree *tree, void *element)
{
    (void)tdelete(element, tree, compare_paths);
    path_tree_free_element(element);
}
