// SPDX-License-Identifier: Apache-2.0
#include "zk/children.h"

#include <assert.h>
#include <string.h>

#define FIRST_CAPACITY 4u

/* The names, and behind them the paths that they are part of. It holds every path up to `end`, also
 * those of children that have gone from its head: a view may show them. */
struct children_array {
    uint32_t references; /* the children's own, and one of each view */
    uint32_t capacity;
    uint32_t end;
    const char *names[];
};

static size_t size_of(uint32_t capacity)
{
    return sizeof(struct children_array) + capacity * (sizeof(char *) + sizeof(struct path *));
}

static struct path **paths_of(struct children_array *array)
{
    return (struct path **)(void *)(array->names + array->capacity);
}

static void put(struct children_array *array, struct path *child)
{
    array->names[array->end] = path_name(child);
    paths_of(array)[array->end] = path_hold(child);
    array->end++;
}

static struct children_array *new_array(struct paths *paths, uint32_t capacity)
{
    struct children_array *array = slab_take(paths->slab, size_of(capacity));
    *array = (struct children_array){.references = 1, .capacity = capacity};
    return array;
}

static void release(struct children_array *array, struct paths *paths)
{
    if (array == NULL || --array->references > 0)
        return;
    for (uint32_t i = 0; i < array->end; i++)
        paths_release(paths, paths_of(array)[i]);
    slab_give(paths->slab, array, size_of(array->capacity));
}

/* Moves the children to an array of their own, without the one at `but`. */
static void renew(struct children *children, struct paths *paths, uint32_t capacity, uint32_t but)
{
    struct children_array *former = children->array, *array = new_array(paths, capacity);
    for (uint32_t i = children->head; i < children->tail; i++) {
        if (i != but)
            put(array, paths_of(former)[i]);
    }
    children->gone += children->head;
    children->head = 0;
    children->tail = array->end;
    children->array = array;
    release(former, paths);
}

uint64_t children_add(struct children *children, struct paths *paths, struct path *child)
{
    if (children->array == NULL)
        children->array = new_array(paths, FIRST_CAPACITY);
    /* Twice what lives: so many more may come and go before the next move. */
    if (children->tail == children->array->capacity) {
        uint32_t live = children->tail - children->head;
        renew(children, paths, live < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : live * 2, UINT32_MAX);
    }
    put(children->array, child);
    children->name_bytes += path_name_length(child);
    return children->gone + children->tail++;
}

/* Who goes from before it moves a child to the left, and never to the right of its mark. */
static uint32_t find(const struct children *children, const struct path *child, uint64_t mark)
{
    uint64_t most = mark - children->gone;
    uint32_t at = most < children->tail ? (uint32_t)most : children->tail - 1;
    while (children->array->names[at] != path_name(child)) {
        assert(at > children->head);
        at--;
    }
    return at;
}

/* Nobody else looks at the array. */
static void close_gap(struct children *children, struct paths *paths, uint32_t at)
{
    struct children_array *array = children->array;
    struct path **held = paths_of(array);
    size_t behind = array->end - at - 1;
    struct path *gone = held[at];
    memmove(array->names + at, array->names + at + 1, behind * sizeof *array->names);
    memmove(held + at, held + at + 1, behind * sizeof(struct path *));
    array->end--;
    children->tail--;
    paths_release(paths, gone);
}

void children_remove(struct children *children, struct paths *paths, const struct path *child,
                     uint64_t mark)
{
    uint32_t at = find(children, child, mark);
    children->name_bytes -= path_name_length(child);
    if (at == children->head) {
        children->head++;
        return;
    }
    if (children->array->references == 1)
        close_gap(children, paths, at);
    else
        renew(children, paths, children->array->capacity, at);
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

void children_view_release(struct children_view *view, struct paths *paths)
{
    release(view->array, paths);
    *view = (struct children_view){0};
}

void children_clear(struct children *children, struct paths *paths)
{
    release(children->array, paths);
    *children = (struct children){0};
}
