// SPDX-License-Identifier: Apache-2.0
#include "sim/children.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define FIRST_CAPACITY 4u
#define NOBODY         UINT32_MAX

/* The names, behind them their paths, and behind these the text. Views use no paths, and the path
 * of a child that was removed is not used. */
struct children_array {
    uint32_t references; /* one of struct children, and one of each view */
    uint32_t capacity;
    size_t text_capacity;
    size_t text_end;
    const char *names[];
};

static size_t size_of(uint32_t capacity, size_t text_capacity)
{
    return sizeof(struct children_array) +
           capacity * (sizeof(char *) + sizeof(const struct path *)) + text_capacity;
}

static const struct path **paths_of(struct children_array *array)
{
    return (const struct path **)(void *)(array->names + array->capacity);
}

static char *text_of(struct children_array *array)
{
    return (char *)(paths_of(array) + array->capacity);
}

static void put(struct children_array *array, uint32_t at, const struct path *child)
{
    size_t size = path_name_length(child) + 1;
    char *name = text_of(array) + array->text_end;
    memcpy(name, path_name(child), size);
    array->names[at] = name;
    paths_of(array)[at] = child;
    array->text_end += size;
}

static struct children_array *new_array(struct slab *slab, uint32_t capacity, size_t text_capacity)
{
    struct children_array *array = slab_take(slab, size_of(capacity, text_capacity));
    *array = (struct children_array){
        .references = 1, .capacity = capacity, .text_capacity = text_capacity};
    return array;
}

static void release(struct children_array *array, struct slab *slab)
{
    if (array != NULL && --array->references == 0)
        slab_give(slab, array, size_of(array->capacity, array->text_capacity));
}

/* Copies the children to a new array, without the one at `but`. */
static void move(struct children *children, struct slab *slab, struct children_array *array,
                 uint32_t but)
{
    struct children_array *former = children->array;
    uint32_t end = 0;
    for (uint32_t i = children->head; i < children->tail; i++) {
        if (i != but)
            put(array, end++, paths_of(former)[i]);
    }
    children->gone += children->head;
    children->head = 0;
    children->tail = end;
    children->array = array;
    release(former, slab);
}

uint64_t children_add(struct children *children, struct slab *slab, const struct path *child)
{
    const struct children_array *array = children->array;
    size_t size = path_name_length(child) + 1;
    if (array == NULL || children->tail == array->capacity ||
        array->text_end + size > array->text_capacity) {
        uint32_t live = children->tail - children->head;
        size_t text = children->name_bytes + live;
        move(children, slab,
             new_array(slab, live < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : live * 2,
                       (text < size ? size : text) * 2),
             NOBODY);
    }
    put(children->array, children->tail, child);
    children->name_bytes += size - 1;
    return children->gone + children->tail++;
}

/* A removal before a child moves it to the left: it is at its mark or left of it. */
static uint32_t find(const struct children *children, const struct path *child, uint64_t mark)
{
    const struct path *const *paths = paths_of(children->array);
    uint64_t most = mark - children->gone;
    uint32_t at = most < children->tail ? (uint32_t)most : children->tail - 1;
    while (paths[at] != child) {
        assert(at > children->head);
        at--;
    }
    return at;
}

/* No view shows the array. The text of the name stays until the next copy. */
static void close_gap(struct children *children, uint32_t at)
{
    const char **names = children->array->names + at;
    const struct path **paths = paths_of(children->array) + at;
    size_t behind = --children->tail - at;
    memmove(names, names + 1, behind * sizeof *names);
    memmove(paths, paths + 1, behind * sizeof(const struct path *));
}

void children_remove(struct children *children, struct slab *slab, const struct path *child,
                     uint64_t mark)
{
    const struct children_array *array = children->array;
    uint32_t at = find(children, child, mark);
    children->name_bytes -= path_name_length(child);
    if (at == children->head)
        children->head++;
    else if (array->references == 1)
        close_gap(children, at);
    else
        move(children, slab, new_array(slab, array->capacity, array->text_capacity), at);
}

size_t children_count(const struct children *children)
{
    return children->tail - children->head;
}

struct children_view children_view(const struct children *children)
{
    struct children_array *array = children->array;
    if (array == NULL)
        return (struct children_view){0};
    array->references++;
    return (struct children_view){.array = array,
                                  .names = (const char *const *)array->names + children->head,
                                  .count = children_count(children),
                                  .name_bytes = children->name_bytes};
}

void children_view_release(struct children_view *view, struct slab *slab)
{
    release(view->array, slab);
    *view = (struct children_view){0};
}

void children_clear(struct children *children, struct slab *slab)
{
    release(children->array, slab);
    *children = (struct children){0};
}
