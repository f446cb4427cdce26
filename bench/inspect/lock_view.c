// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/lock_view.h"

#include "base/clock.h"
#include "base/text.h"
#include "recipes/queue.h"

#include <errno.h>
#include <stdio.h>
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

char *lock_view_znode(const struct lock_view *view, const char *path, size_t place)
{
    char *znode = NULL;
    if (view->kind == LOCK_VIEW_ZNODE)
        return strdup(path);
    const char *folder = strcmp(path, "/") == 0 ? "" : path;
    return asprintf(&znode, "%s%s/%s", folder, view->entries[place].below,
                    view->places[place].name) < 0
               ? NULL
               : znode;
}

size_t lock_view_waiters(const struct lock_view *view)
{
    return view->count - view->holders - view->pending;
}

static bool is_same_znode(const struct lock_view *one, const struct lock_view *other, size_t place)
{
    const struct browser_stat *its = &one->entries[place].stat;
    const struct browser_stat *others = &other->entries[place].stat;
    return strcmp(one->places[place].name, other->places[place].name) == 0 &&
           strcmp(one->entries[place].below, other->entries[place].below) == 0 &&
           its->owner == others->owner && its->created_ms == others->created_ms;
}

bool lock_view_equal(const struct lock_view *one, const struct lock_view *other)
{
    bool equal =
        one->kind == other->kind && one->count == other->count && one->holders == other->holders;
    for (size_t i = 0; equal && i < one->count; i++)
        equal = is_same_znode(one, other, i);
    return equal;
}

static enum error_kind raise_no_memory(const char *path, struct error *error)
{
    return error_from_errno(error, ENOMEM, path, "for its znodes");
}

static enum error_kind make_room(struct lock_view *view, const char *path, size_t count,
                                 struct error *error)
{
    view->places = calloc(count + 1, sizeof *view->places);
    view->entries = calloc(count + 1, sizeof *view->entries);
    return view->places != NULL && view->entries != NULL ? ERROR_NONE
                                                         : raise_no_memory(path, error);
}

/* ------------------------------------------------------------------ one znode */

static enum error_kind see_znode(struct browser *browser, const char *path,
                                 const struct browser_stat *stat, struct lock_view *view,
                                 bool *settled, struct error *error)
{
    enum error_kind kind = make_room(view, path, 1, error);
    if (kind != ERROR_NONE)
        return kind;
    view->entries[0] = (struct lock_view_entry){.stat = *stat, .below = ""};
    view->names = strdup(strrchr(path, '/') + 1);
    if (kind == ERROR_NONE && view->names == NULL)
        kind = raise_no_memory(path, error);
    if (kind != ERROR_NONE)
        return kind;
    view->kind = LOCK_VIEW_ZNODE;
    view->places[0] = (struct line_place){.name = view->names, .holds = true};
    view->entries[0].held_ms = stat->created_ms;
    view->count = view->holders = 1;
    view->is_lock = true;
    /* The watch has been set by the look before. */
    struct browser_stat again;
    kind = browser_read(browser, path, settled, &again, &view->entries[0].data, error);
    *settled = *settled && again.owner == stat->owner && again.created_ms == stat->created_ms;
    return kind;
}

/* ------------------------------------------------------------------ a queue */

/* The browser's names are the next list's soon. */
static enum error_kind keep_names(const char *path, struct lock_view *view, struct error *error)
{
    size_t size = 1;
    for (size_t i = 0; i < view->count; i++)
        size += strlen(view->places[i].name) + 1;
    char *text = view->names = malloc(size);
    if (text == NULL)
        return raise_no_memory(path, error);
    for (size_t i = 0; i < view->count; i++) {
        const char *name = view->places[i].name;
        view->places[i].name = text;
        text = stpcpy(text, name) + 1;
    }
    return ERROR_NONE;
}

/* In a folder that was made anew the same names are others'. */
static const struct lock_view *same_folder(const struct lock_view *before,
                                           const struct lock_view *view)
{
    static const struct lock_view nothing = {.count = 0};
    return before != NULL && before->kind == LOCK_VIEW_QUEUE &&
                   before->created_ms == view->created_ms
               ? before
               : &nothing;
}

/* Both are in order: *at moves along the former places, and never back. */
static bool is_known(const struct lock_view *known, const struct line_place *place, size_t *at,
                     struct lock_view_entry *entry)
{
    while (*at < known->count && queue_before(known->places[*at].sequence, place->sequence))
        ++*at;
    if (*at == known->count || strcmp(known->places[*at].name, place->name) != 0)
        return false;
    *entry = known->entries[*at];
    return true;
}

static enum error_kind look_at_place(struct browser *browser, const char *path,
                                     const struct lock_view *view, size_t place, bool *there,
                                     struct lock_view_entry *entry, struct error *error)
{
    char *znode = lock_view_znode(view, path, place);
    if (znode == NULL)
        return raise_no_memory(path, error);
    entry->below = view->entries[place].below;
    enum error_kind kind = browser_read(browser, znode, there, &entry->stat, &entry->data, error);
    free(znode);
    return kind;
}

/* Who owns each place; those that have gone meanwhile are left out. */
static enum error_kind look_at_places(struct browser *browser, const char *path,
                                      const struct lock_view *known, struct lock_view *view,
                                      struct error *error)
{
    size_t left = 0, at = 0;
    for (size_t i = 0; i < view->count; i++) {
        struct lock_view_entry entry = {.below = ""};
        bool there = is_known(known, &view->places[i], &at, &entry);
        if (!there) {
            enum error_kind kind = look_at_place(browser, path, view, i, &there, &entry, error);
            if (kind != ERROR_NONE)
                return kind;
        }
        if (!there)
            continue;
        view->places[left] = view->places[i];
        view->entries[left++] = entry;
    }
    view->count = left;
    return ERROR_NONE;
}

/* Who did not hold when the lock was seen last has come to hold since then. The servers keep no
 * time of that. */
static void note_holds(const struct lock_view *before, struct lock_view *view)
{
    int64_t now_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    for (size_t i = 0; before != NULL && i < view->holders; i++) {
        struct lock_view_entry *entry = &view->entries[i];
        int64_t since_ms = now_ms;
        for (size_t j = 0; j < before->holders; j++) {
            const struct lock_view_entry *former = &before->entries[j];
            if (former->stat.owner == entry->stat.owner &&
                former->stat.created_ms == entry->stat.created_ms &&
                strcmp(before->places[j].name, view->places[i].name) == 0)
                since_ms = former->held_ms;
        }
        if (entry->held_ms == 0)
            entry->held_ms = since_ms;
    }
}

static bool has_ephemeral(const struct lock_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        if (view->entries[i].stat.owner != 0)
            return true;
    }
    return false;
}

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

static void set_below(struct lock_view *view, size_t first, size_t end, const char *below)
{
    for (size_t i = first; i < end; i++)
        view->entries[i].below = below;
}

static enum error_kind see_queue(struct browser *browser, const char *path,
                                 const struct lock_view *before, const char *const *names,
                                 size_t name_count, struct lock_view *view, struct error *error)
{
    enum error_kind kind = make_room(view, path, name_count, error);
    if (kind != ERROR_NONE)
        return kind;
    view->kind = LOCK_VIEW_QUEUE;
    view->count = line_read(names, name_count, view->places);
    set_below(view, 0, view->count, "");
    view->is_lock = view->count > 0 || (before != NULL && before->is_lock);
    if (before == NULL && name_count > 0 && view->count == 0)
        return raise_no_queue(path, names, name_count, error);
    kind = keep_names(path, view, error);
    if (kind == ERROR_NONE)
        kind = look_at_places(browser, path, same_folder(before, view), view, error);
    if (kind != ERROR_NONE)
        return kind;
    view->holders = line_grant(view->places, view->count);
    note_holds(before, view);
    if (kind == ERROR_NONE && before == NULL && view->count > 0 && !has_ephemeral(view))
        kind =
            error_raise(error, ERROR_NO_LOCK, 0, path,
                        "its children, such as '%.200s', are not ephemeral", view->places[0].name);
    return kind;
}

/* ------------------------------------------------------------------ a semaphore */

struct parts {
    const char *leases, *line; /* behind the path of the semaphore */
};

static const struct parts curator = {"/" LINE_CURATOR_LEASES, "/" LINE_CURATOR_LINE};
static const struct parts kazoo = {"", LINE_KAZOO_LINE};

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* kazoo, since its version 1.1, writes how many leases there may be into the semaphore's znode. */
static uint64_t leases_max(const struct browser_data *data)
{
    uint64_t number = 0;
    return data->known && text_parse_number(data->bytes, 1, UINT32_MAX, &number) ? number : 0;
}

static enum error_kind is_there(struct browser *browser, const char *path, const char *below,
                                bool *there, struct error *error)
{
    struct browser_stat ignored;
    char *znode = NULL;
    if (asprintf(&znode, "%s%s", path, below) < 0)
        return raise_no_memory(path, error);
    enum error_kind kind = browser_look(browser, znode, NO_WATCH, there, &ignored, error);
    free(znode);
    return kind;
}

/* *parts is NULL if the znode is no semaphore's, by the names of its children. */
static enum error_kind find_parts(struct browser *browser, const char *path,
                                  const char *const *names, size_t count, struct lock_view *view,
                                  const struct parts **parts, struct error *error)
{
    struct browser_stat stat;
    struct browser_data data;
    bool there = false, leases_only = true;
    for (size_t i = 0; i < count; i++)
        leases_only = leases_only && line_is_kazoo_lease(names[i]);
    *parts = NULL;
    if (has_name(names, count, LINE_CURATOR_LEASES) && has_name(names, count, LINE_CURATOR_LINE))
        *parts = &curator;
    if (*parts != NULL || !leases_only || strcmp(path, "/") == 0)
        return ERROR_NONE;
    enum error_kind kind = is_there(browser, path, kazoo.line, &there, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    kind = browser_read(browser, path, &there, &stat, &data, error);
    *parts = &kazoo;
    view->leases_max = leases_max(&data);
    return kind;
}

static enum error_kind list_part(struct browser *browser, const char *path, const char *below,
                                 enum watch_flag watch, const char ***names, size_t *count,
                                 struct error *error)
{
    const char *const *list = NULL;
    char *folder = NULL;
    bool there = false;
    if (asprintf(&folder, "%s%s", strcmp(path, "/") == 0 ? "" : path, below) < 0)
        return raise_no_memory(path, error);
    enum error_kind kind = browser_list(browser, folder, watch, &there, &list, count, error);
    free(folder);
    if (kind == ERROR_NONE && there)
        *names = browser_take_names(browser);
    else
        *count = 0;
    return kind;
}

size_t lock_view_read_leases(const char *const *names, size_t count, struct line_place *places)
{
    size_t read = 0;
    for (size_t i = 0; i < count; i++) {
        if (line_is_kazoo_lease(names[i]))
            places[read++] = (struct line_place){.name = names[i], .role = LINE_LEASES};
    }
    return read > 0 ? read : line_read(names, count, places);
}

/* Those behind the leases. Nobody of the line holds anything but the right to take a lease. */
static size_t read_line(const char *const *names, size_t count, struct line_place *places)
{
    size_t read = line_read(names, count, places);
    for (size_t i = 0; i < read; i++)
        places[i].holds = false;
    return read;
}

/* Of Curator the first in line has a lease already, the last of them, while it waits for others to
 * be given back. */
static void count_holders(struct lock_view *view, const struct parts *parts)
{
    size_t leases = 0;
    while (leases < view->count && strcmp(view->entries[leases].below, parts->leases) == 0)
        leases++;
    view->pending = parts == &curator && leases > 0 && leases < view->count &&
                    view->entries[leases].stat.owner == view->entries[leases - 1].stat.owner;
    view->holders = leases - view->pending;
    for (size_t i = 0; i < leases; i++)
        view->places[i].holds = i < view->holders;
    for (size_t i = 0; parts == &kazoo && i < leases; i++)
        view->entries[i].held_ms = view->entries[i].stat.created_ms;
}

static enum error_kind see_parts(struct browser *browser, const char *path,
                                 const struct lock_view *before, const struct parts *parts,
                                 const char *const *leases, size_t lease_count,
                                 const char *const *line, size_t line_count, struct lock_view *view,
                                 struct error *error)
{
    static const struct lock_view nothing = {.count = 0};
    enum error_kind kind = make_room(view, path, lease_count + line_count, error);
    if (kind != ERROR_NONE)
        return kind;
    view->kind = LOCK_VIEW_SEMAPHORE;
    view->is_lock = true;
    size_t first = lock_view_read_leases(leases, lease_count, view->places);
    view->count = first + read_line(line, line_count, view->places + first);
    set_below(view, 0, first, parts->leases);
    set_below(view, first, view->count, parts->line);
    kind = keep_names(path, view, error);
    if (kind == ERROR_NONE)
        kind = look_at_places(browser, path, &nothing, view, error);
    if (kind != ERROR_NONE)
        return kind;
    count_holders(view, parts);
    note_holds(before, view);
    return ERROR_NONE;
}

static enum error_kind see_semaphore(struct browser *browser, const char *path,
                                     enum watch_flag watch, const struct lock_view *before,
                                     const struct parts *parts, struct lock_view *view,
                                     struct error *error)
{
    const char **leases = NULL, **line = NULL;
    size_t lease_count = 0, line_count = 0;
    enum error_kind kind =
        list_part(browser, path, parts->leases, watch, &leases, &lease_count, error);
    if (kind == ERROR_NONE)
        kind = list_part(browser, path, parts->line, watch, &line, &line_count, error);
    if (kind == ERROR_NONE)
        kind = see_parts(browser, path, before, parts, leases, lease_count, line, line_count, view,
                         error);
    free(leases);
    free(line);
    return kind;
}

/* ------------------------------------------------------------------ whatever it is */

static enum error_kind raise_place(const char *path, struct error *error)
{
    return error_raise(error, ERROR_NO_LOCK, 0, path,
                       "this znode is one place in a queue; its folder is the lock");
}

static bool was_znode(const struct lock_view *before)
{
    return before != NULL && (before->kind == LOCK_VIEW_ZNODE || before->kind == LOCK_VIEW_FREE);
}

/* *settled is false if the znode has gone between two questions. */
static enum error_kind see(struct browser *browser, const char *path, enum watch_flag watch,
                           const struct lock_view *before, struct lock_view *view, bool *settled,
                           struct error *error)
{
    struct browser_stat stat;
    const char *const *names = NULL;
    size_t name_count = 0;
    bool there = false;
    int32_t sequence;
    enum error_kind kind = browser_look(browser, path, watch, &there, &stat, error);
    *settled = true;
    if (kind != ERROR_NONE)
        return kind;
    if (!there) {
        view->kind = was_znode(before) ? LOCK_VIEW_FREE : LOCK_VIEW_GONE;
        view->is_lock = before != NULL && before->is_lock;
        return before != NULL
                   ? ERROR_NONE
                   : error_raise(error, ERROR_NO_LOCK, 0, path, "the znode does not exist");
    }
    if (stat.owner != 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    view->created_ms = stat.created_ms;
    if (stat.owner != 0)
        return see_znode(browser, path, &stat, view, settled, error);
    kind = browser_list(browser, path, watch, settled, &names, &name_count, error);
    if (kind != ERROR_NONE || !*settled)
        return kind;
    if (before == NULL && name_count == 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    const struct parts *parts = NULL;
    kind = find_parts(browser, path, names, name_count, view, &parts, error);
    if (kind != ERROR_NONE)
        return kind;
    return parts != NULL ? see_semaphore(browser, path, watch, before, parts, view, error)
                         : see_queue(browser, path, before, names, name_count, view, error);
}

enum error_kind lock_view_take(struct browser *browser, const char *path, enum watch_flag watch,
                               const struct lock_view *before, struct lock_view *view,
                               struct error *error)
{
    struct lock_view taken = {0};
    enum error_kind kind = ERROR_NONE;
    bool settled = false;
    for (int looks = 0; kind == ERROR_NONE && !settled && looks < LOOKS_MAX; looks++) {
        lock_view_deinit(&taken);
        taken.kind = LOCK_VIEW_GONE;
        kind = see(browser, path, watch, before, &taken, &settled, error);
    }
    if (kind == ERROR_NONE)
        *view = taken;
    else
        lock_view_deinit(&taken);
    return kind;
}
