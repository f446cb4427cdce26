// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/inspect/internal.h"
#include "recipes/queue.h"

#include <stdlib.h>
#include <string.h>

/* A folder that comes and goes between two questions is taken for gone in the end. */
#define LOOKS_MAX 5

void lock_view_deinit(struct lock_view *view)
{
    free(view->places);
    free(view->entries);
    free(view->names);
    *view = (struct lock_view){0};
}

char *lock_view_join(const char *path, const char *name)
{
    return memory_format("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
}

char *lock_view_znode(const struct lock_view *view, const char *path, size_t place)
{
    return view->kind == LOCK_VIEW_ZNODE ? memory_text(path)
                                         : lock_view_join(path, view->places[place].name);
}

size_t lock_view_waiters(const struct lock_view *view)
{
    return view->count - view->holders;
}

/* ------------------------------------------------------------------ one znode */

static enum error_kind see_znode(struct browser *browser, const char *path,
                                 const struct browser_stat *stat, struct lock_view *view,
                                 bool *settled, struct error *error)
{
    view->kind = LOCK_VIEW_ZNODE;
    view->names = memory_text(strrchr(path, '/') + 1);
    view->places = memory_new(1, sizeof *view->places);
    view->places[0] = (struct line_place){.name = view->names, .holds = true};
    view->entries = memory_new(1, sizeof *view->entries);
    view->entries[0] = (struct lock_view_entry){.stat = *stat};
    view->count = view->holders = 1;
    view->is_lock = true;
    struct browser_stat again;
    enum error_kind kind =
        browser_read(browser, path, settled, &again, &view->entries[0].data, error);
    *settled = *settled && again.owner == stat->owner && again.created_ms == stat->created_ms;
    return kind;
}

/* ------------------------------------------------------------------ the places of a folder */

/* Who owns each place, of which only the name is known; those that have gone meanwhile are left
 * out. */
static enum error_kind look_at_places(struct browser *browser, const char *path,
                                      struct lock_view *view, struct error *error)
{
    size_t left = 0;
    for (size_t i = 0; i < view->count; i++) {
        struct lock_view_entry entry;
        bool there = false;
        char *znode = lock_view_znode(view, path, i);
        enum error_kind kind =
            browser_read(browser, znode, &there, &entry.stat, &entry.data, error);
        free(znode);
        if (kind != ERROR_NONE)
            return kind;
        if (!there)
            continue;
        view->places[left] = view->places[i];
        view->entries[left++] = entry;
    }
    view->count = left;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a queue */

/* In the folder of a lock of zkherd run the queue, or the one znode, may be a child. */
static enum error_kind raise_no_queue(const char *path, const char *const *names, size_t name_count,
                                      struct error *error)
{
    for (size_t i = 0; i < name_count; i++) {
        if (strcmp(names[i], "queue") == 0 || strcmp(names[i], "f") == 0)
            return error_raise(error, ERROR_NO_LOCK, 0, path,
                               "its children have no sequence numbers, but %.200s/%s may be a lock",
                               path, names[i]);
    }
    return error_raise(error, ERROR_NO_LOCK, 0, path,
                       "its children, such as '%.200s', have no sequence numbers", names[0]);
}

/* Takes the names that the browser has listed. */
static enum error_kind see_queue(struct browser *browser, const char *path, size_t name_count,
                                 struct lock_view *view, struct error *error)
{
    const char **names = browser_own_names(browser);
    bool ephemeral = false;
    view->kind = LOCK_VIEW_QUEUE;
    view->names = names;
    view->places = memory_new(name_count + 1, sizeof *view->places);
    view->count = line_read(names, name_count, view->places);
    view->entries = memory_new(view->count + 1, sizeof *view->entries);
    view->is_lock = view->count > 0;
    if (name_count > 0 && view->count == 0)
        return raise_no_queue(path, names, name_count, error);
    enum error_kind kind = look_at_places(browser, path, view, error);
    if (kind != ERROR_NONE)
        return kind;
    view->holders = line_grant(view->places, view->count);
    for (size_t i = 0; i < view->count; i++)
        ephemeral = ephemeral || view->entries[i].stat.owner != 0;
    if (view->count > 0 && !ephemeral)
        return error_raise(error, ERROR_NO_LOCK, 0, path,
                           "its children, such as '%.200s', are not ephemeral",
                           view->places[0].name);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ whatever it is */

static enum error_kind raise_place(const char *path, struct error *error)
{
    return error_raise(error, ERROR_NO_LOCK, 0, path,
                       "this znode is one place in a queue; its folder is the lock");
}

static enum error_kind raise_none(const char *path, struct error *error)
{
    return error_raise(error, ERROR_NO_LOCK, 0, path, "the znode does not exist");
}

/* *settled is false if the znode has gone between two questions. */
static enum error_kind see(struct browser *browser, const char *path, struct lock_view *view,
                           bool *settled, struct error *error)
{
    struct browser_stat stat;
    const char *const *names = NULL;
    size_t name_count = 0;
    bool there = false;
    int32_t sequence;
    enum error_kind kind = browser_exists(browser, path, &there, &stat, error);
    *settled = true;
    if (kind != ERROR_NONE)
        return kind;
    if (!there)
        return raise_none(path, error);
    if (stat.owner != 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    if (stat.owner != 0)
        return see_znode(browser, path, &stat, view, settled, error);
    kind = browser_list(browser, path, settled, &names, &name_count, error);
    if (kind != ERROR_NONE || !*settled)
        return kind;
    if (name_count == 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    return see_queue(browser, path, name_count, view, error);
}

enum error_kind lock_view_take(struct browser *browser, const char *path, struct lock_view *view,
                               struct error *error)
{
    struct lock_view taken = {0};
    enum error_kind kind = ERROR_NONE;
    bool settled = false;
    for (int looks = 0; kind == ERROR_NONE && !settled && looks < LOOKS_MAX; looks++) {
        lock_view_deinit(&taken);
        kind = see(browser, path, &taken, &settled, error);
    }
    if (kind == ERROR_NONE && !settled)
        kind = raise_none(path, error);
    if (kind == ERROR_NONE)
        *view = taken;
    else
        lock_view_deinit(&taken);
    return kind;
}
