// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
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
    free(view->names[0]);
    free(view->names[1]);
    *view = (struct lock_view){0};
}

char *lock_view_join(const char *path, const char *between, const char *name)
{
    return memory_format("%s%s%s", strcmp(path, "/") == 0 ? "" : path, between, name);
}

char *lock_view_znode(const struct lock_view *view, const char *path, size_t place)
{
    if (view->kind == LOCK_VIEW_ZNODE)
        return memory_text(path);
    const char *folder = strcmp(path, "/") == 0 ? "" : path;
    return memory_format("%s%s/%s", folder, view->entries[place].below, view->places[place].name);
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

/* ------------------------------------------------------------------ one znode */

static enum error_kind see_znode(struct browser *browser, const char *path,
                                 const struct browser_stat *stat, struct lock_view *view,
                                 bool *settled, struct error *error)
{
    view->kind = LOCK_VIEW_ZNODE;
    view->names[0] = memory_text(strrchr(path, '/') + 1);
    view->places = memory_new(1, sizeof *view->places);
    view->places[0] = (struct line_place){.name = view->names[0], .holds = true};
    view->entries = memory_new(1, sizeof *view->entries);
    view->entries[0] =
        (struct lock_view_entry){.stat = *stat, .below = "", .held_ms = stat->created_ms};
    view->count = view->holders = 1;
    view->is_lock = true;
    /* The watch has been set by the look before. */
    struct browser_stat again;
    enum error_kind kind =
        browser_read(browser, path, settled, &again, &view->entries[0].data, error);
    *settled = *settled && again.owner == stat->owner && again.created_ms == stat->created_ms;
    return kind;
}

/* ------------------------------------------------------------------ the places of a folder */

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

/* Who owns each place, of which only the name and `below` are known; those that have gone meanwhile
 * are left out. known: a view whose places need not be read again, or NULL. */
static enum error_kind look_at_places(struct browser *browser, const char *path,
                                      const struct lock_view *known, struct lock_view *view,
                                      struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    size_t left = 0, at = 0;
    for (size_t i = 0; i < view->count; i++) {
        struct lock_view_entry entry = {.below = view->entries[i].below};
        bool there = known != NULL && is_known(known, &view->places[i], &at, &entry);
        if (!there) {
            char *znode = lock_view_znode(view, path, i);
            kind = browser_read(browser, znode, &there, &entry.stat, &entry.data, error);
            free(znode);
        }
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
static enum error_kind see_queue(struct browser *browser, const char *path,
                                 const struct lock_view *before, size_t name_count,
                                 struct lock_view *view, struct error *error)
{
    const char **names = browser_take_names(browser);
    const struct lock_view *known = NULL;
    bool ephemeral = false;
    view->kind = LOCK_VIEW_QUEUE;
    view->names[0] = names;
    view->places = memory_new(name_count + 1, sizeof *view->places);
    view->count = line_read(names, name_count, view->places);
    view->entries = memory_new(view->count + 1, sizeof *view->entries);
    for (size_t i = 0; i < view->count; i++)
        view->entries[i].below = "";
    view->is_lock = view->count > 0 || (before != NULL && before->is_lock);
    if (before == NULL && name_count > 0 && view->count == 0)
        return raise_no_queue(path, names, name_count, error);
    /* In a folder that was made anew the same names are others'. */
    if (before != NULL && before->kind == LOCK_VIEW_QUEUE && before->created_ms == view->created_ms)
        known = before;
    enum error_kind kind = look_at_places(browser, path, known, view, error);
    if (kind != ERROR_NONE)
        return kind;
    view->holders = line_grant(view->places, view->count);
    note_holds(before, view);
    for (size_t i = 0; i < view->count; i++)
        ephemeral = ephemeral || view->entries[i].stat.owner != 0;
    if (before == NULL && view->count > 0 && !ephemeral)
        return error_raise(error, ERROR_NO_LOCK, 0, path,
                           "its children, such as '%.200s', are not ephemeral",
                           view->places[0].name);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a semaphore */

const struct semaphore semaphore_curator = {"Curator semaphore", "/" LINE_CURATOR_LEASES,
                                            "/" LINE_CURATOR_LINE};
const struct semaphore semaphore_kazoo = {"kazoo semaphore", "", LINE_KAZOO_LINE};

bool semaphore_has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool semaphore_is_curator(const char *const *names, size_t count)
{
    return semaphore_has_name(names, count, LINE_CURATOR_LEASES) &&
           semaphore_has_name(names, count, LINE_CURATOR_LINE);
}

static enum error_kind list_folder(struct browser *browser, const char *path, const char *below,
                                   enum watch_flag watch, struct semaphore_places *found,
                                   void **names, size_t *count, struct error *error)
{
    const char *const *list = NULL;
    bool there = false;
    char *folder = lock_view_join(path, below, "");
    enum error_kind kind = browser_list(browser, folder, watch, &there, &list, count, error);
    free(folder);
    if (kind == ERROR_NONE && there)
        *names = browser_take_names(browser);
    else
        *count = 0;
    found->folders += there;
    return kind;
}

enum error_kind semaphore_read(struct browser *browser, const char *path,
                               const struct semaphore *semaphore, enum watch_flag watch,
                               struct semaphore_places *found, struct error *error)
{
    struct semaphore_places read = {0};
    size_t leases = 0, line = 0;
    enum error_kind kind =
        list_folder(browser, path, semaphore->leases, watch, &read, &read.names[0], &leases, error);
    if (kind == ERROR_NONE)
        kind =
            list_folder(browser, path, semaphore->line, watch, &read, &read.names[1], &line, error);
    *found = (struct semaphore_places){.folders = read.folders};
    if (kind != ERROR_NONE) {
        free(read.names[0]);
        return kind;
    }
    const char *const *names = read.names[0];
    read.places = memory_new(leases + line + 1, sizeof *read.places);
    for (size_t i = 0; i < leases; i++) {
        if (line_is_kazoo_lease(names[i])) /* it has no number */
            read.places[read.leases++] = (struct line_place){.name = names[i], .role = LINE_LEASES};
    }
    if (read.leases == 0 && leases > 0)
        read.leases = line_read(names, leases, read.places);
    read.count = read.leases;
    if (line > 0)
        read.count += line_read(read.names[1], line, read.places + read.leases);
    /* Nobody of the line holds anything but the right to take a lease. */
    for (size_t i = read.leases; i < read.count; i++)
        read.places[i].holds = false;
    *found = read;
    return ERROR_NONE;
}

/* *semaphore is NULL if the znode is no semaphore's, by the names of its children. */
static enum error_kind find_semaphore(struct browser *browser, const char *path,
                                      const char *const *names, size_t count,
                                      struct lock_view *view, const struct semaphore **semaphore,
                                      struct error *error)
{
    struct browser_stat stat;
    struct browser_data data;
    bool there = false, leases_only = true;
    for (size_t i = 0; i < count; i++)
        leases_only = leases_only && line_is_kazoo_lease(names[i]);
    *semaphore = semaphore_is_curator(names, count) ? &semaphore_curator : NULL;
    if (*semaphore != NULL || !leases_only || strcmp(path, "/") == 0)
        return ERROR_NONE;
    char *line = memory_format("%s%s", path, semaphore_kazoo.line);
    enum error_kind kind = browser_look(browser, line, NO_WATCH, &there, &stat, error);
    free(line);
    if (kind != ERROR_NONE || !there)
        return kind;
    kind = browser_read(browser, path, &there, &stat, &data, error);
    *semaphore = &semaphore_kazoo;
    /* kazoo, since its version 1.1, writes how many leases there may be into the znode. */
    if (kind == ERROR_NONE && data.known)
        (void)text_parse_number(data.bytes, 1, UINT32_MAX, &view->leases_max);
    return kind;
}

/* With Curator the first in line has a lease already, the last of them, while it waits for others
 * to be given back. */
static void count_holders(struct lock_view *view, const struct semaphore *semaphore)
{
    size_t leases = 0;
    while (leases < view->count && view->entries[leases].below == semaphore->leases)
        leases++;
    view->pending = semaphore == &semaphore_curator && leases > 0 && leases < view->count &&
                    view->entries[leases].stat.owner == view->entries[leases - 1].stat.owner;
    view->holders = leases - view->pending;
    for (size_t i = 0; i < leases; i++) {
        view->places[i].holds = i < view->holders;
        if (semaphore == &semaphore_kazoo)
            view->entries[i].held_ms = view->entries[i].stat.created_ms;
    }
}

static enum error_kind see_semaphore(struct browser *browser, const char *path,
                                     enum watch_flag watch, const struct lock_view *before,
                                     const struct semaphore *semaphore, struct lock_view *view,
                                     struct error *error)
{
    struct semaphore_places found;
    enum error_kind kind = semaphore_read(browser, path, semaphore, watch, &found, error);
    if (kind != ERROR_NONE)
        return kind;
    view->kind = LOCK_VIEW_SEMAPHORE;
    view->is_lock = true;
    view->places = found.places;
    view->names[0] = found.names[0];
    view->names[1] = found.names[1];
    view->count = found.count;
    view->entries = memory_new(view->count + 1, sizeof *view->entries);
    for (size_t i = 0; i < view->count; i++)
        view->entries[i].below = i < found.leases ? semaphore->leases : semaphore->line;
    kind = look_at_places(browser, path, NULL, view, error);
    if (kind != ERROR_NONE)
        return kind;
    count_holders(view, semaphore);
    note_holds(before, view);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ whatever it is */

static enum error_kind raise_place(const char *path, struct error *error)
{
    return error_raise(error, ERROR_NO_LOCK, 0, path,
                       "this znode is one place in a queue; its folder is the lock");
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
        bool was_znode =
            before != NULL && (before->kind == LOCK_VIEW_ZNODE || before->kind == LOCK_VIEW_FREE);
        view->kind = was_znode ? LOCK_VIEW_FREE : LOCK_VIEW_GONE;
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
    const struct semaphore *semaphore = NULL;
    kind = find_semaphore(browser, path, names, name_count, view, &semaphore, error);
    if (kind != ERROR_NONE)
        return kind;
    return semaphore != NULL ? see_semaphore(browser, path, watch, before, semaphore, view, error)
                             : see_queue(browser, path, before, name_count, view, error);
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
