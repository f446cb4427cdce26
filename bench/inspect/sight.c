// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/sight.h"

#include "base/clock.h"
#include "base/text.h"
#include "recipes/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder that comes and goes between two questions is taken for gone in the end. */
#define LOOKS_MAX 5

void sight_deinit(struct sight *sight)
{
    free(sight->places);
    free(sight->entries);
    free(sight->names);
    *sight = (struct sight){0};
}

char *sight_znode(const struct sight *sight, const char *path, size_t place)
{
    char *znode = NULL;
    if (sight->kind == SIGHT_ZNODE)
        return strdup(path);
    const char *folder = strcmp(path, "/") == 0 ? "" : path;
    return asprintf(&znode, "%s%s/%s", folder, sight->entries[place].below,
                    sight->places[place].name) < 0
               ? NULL
               : znode;
}

size_t sight_waiters(const struct sight *sight)
{
    return sight->count - sight->holders - sight->pending;
}

static bool is_same_znode(const struct sight *one, const struct sight *other, size_t place)
{
    const struct browser_stat *its = &one->entries[place].stat;
    const struct browser_stat *others = &other->entries[place].stat;
    return strcmp(one->places[place].name, other->places[place].name) == 0 &&
           strcmp(one->entries[place].below, other->entries[place].below) == 0 &&
           its->owner == others->owner && its->created_ms == others->created_ms;
}

bool sight_equal(const struct sight *one, const struct sight *other)
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

static enum error_kind make_room(struct sight *sight, const char *path, size_t count,
                                 struct error *error)
{
    sight->places = calloc(count + 1, sizeof *sight->places);
    sight->entries = calloc(count + 1, sizeof *sight->entries);
    return sight->places != NULL && sight->entries != NULL ? ERROR_NONE
                                                           : raise_no_memory(path, error);
}

/* ------------------------------------------------------------------ one znode */

static enum error_kind see_znode(struct browser *browser, const char *path,
                                 const struct browser_stat *stat, struct sight *sight,
                                 bool *settled, struct error *error)
{
    enum error_kind kind = make_room(sight, path, 1, error);
    if (kind != ERROR_NONE)
        return kind;
    sight->entries[0] = (struct sight_entry){.stat = *stat, .below = ""};
    sight->names = strdup(strrchr(path, '/') + 1);
    if (kind == ERROR_NONE && sight->names == NULL)
        kind = raise_no_memory(path, error);
    if (kind != ERROR_NONE)
        return kind;
    sight->kind = SIGHT_ZNODE;
    sight->places[0] = (struct line_place){.name = sight->names, .holds = true};
    sight->entries[0].held_ms = stat->created_ms;
    sight->count = sight->holders = 1;
    sight->is_lock = true;
    /* The watch has been set by the look before. */
    struct browser_stat again;
    kind = browser_read(browser, path, settled, &again, &sight->entries[0].data, error);
    *settled = *settled && again.owner == stat->owner && again.created_ms == stat->created_ms;
    return kind;
}

/* ------------------------------------------------------------------ a queue */

/* The browser's names are the next list's soon. */
static enum error_kind keep_names(const char *path, struct sight *sight, struct error *error)
{
    size_t size = 1;
    for (size_t i = 0; i < sight->count; i++)
        size += strlen(sight->places[i].name) + 1;
    char *text = sight->names = malloc(size);
    if (text == NULL)
        return raise_no_memory(path, error);
    for (size_t i = 0; i < sight->count; i++) {
        const char *name = sight->places[i].name;
        sight->places[i].name = text;
        text = stpcpy(text, name) + 1;
    }
    return ERROR_NONE;
}

/* In a folder that was made anew the same names are others'. */
static const struct sight *same_folder(const struct sight *before, const struct sight *sight)
{
    static const struct sight nothing = {.count = 0};
    return before != NULL && before->kind == SIGHT_QUEUE && before->created_ms == sight->created_ms
               ? before
               : &nothing;
}

/* Both are in order: *at moves along the former places, and never back. */
static bool is_known(const struct sight *known, const struct line_place *place, size_t *at,
                     struct sight_entry *entry)
{
    while (*at < known->count && queue_before(known->places[*at].sequence, place->sequence))
        ++*at;
    if (*at == known->count || strcmp(known->places[*at].name, place->name) != 0)
        return false;
    *entry = known->entries[*at];
    return true;
}

static enum error_kind look_at_place(struct browser *browser, const char *path,
                                     const struct sight *sight, size_t place, bool *there,
                                     struct sight_entry *entry, struct error *error)
{
    char *znode = sight_znode(sight, path, place);
    if (znode == NULL)
        return raise_no_memory(path, error);
    entry->below = sight->entries[place].below;
    enum error_kind kind = browser_read(browser, znode, there, &entry->stat, &entry->data, error);
    free(znode);
    return kind;
}

/* Who owns each place; those that have gone meanwhile are left out. */
static enum error_kind look_at_places(struct browser *browser, const char *path,
                                      const struct sight *known, struct sight *sight,
                                      struct error *error)
{
    size_t left = 0, at = 0;
    for (size_t i = 0; i < sight->count; i++) {
        struct sight_entry entry = {.below = ""};
        bool there = is_known(known, &sight->places[i], &at, &entry);
        if (!there) {
            enum error_kind kind = look_at_place(browser, path, sight, i, &there, &entry, error);
            if (kind != ERROR_NONE)
                return kind;
        }
        if (!there)
            continue;
        sight->places[left] = sight->places[i];
        sight->entries[left++] = entry;
    }
    sight->count = left;
    return ERROR_NONE;
}

/* Who did not hold when the lock was seen last has come to hold since then. The servers keep no
 * time of that. */
static void note_holds(const struct sight *before, struct sight *sight)
{
    int64_t now_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    for (size_t i = 0; before != NULL && i < sight->holders; i++) {
        struct sight_entry *entry = &sight->entries[i];
        int64_t since_ms = now_ms;
        for (size_t j = 0; j < before->holders; j++) {
            const struct sight_entry *former = &before->entries[j];
            if (former->stat.owner == entry->stat.owner &&
                former->stat.created_ms == entry->stat.created_ms &&
                strcmp(before->places[j].name, sight->places[i].name) == 0)
                since_ms = former->held_ms;
        }
        if (entry->held_ms == 0)
            entry->held_ms = since_ms;
    }
}

static bool has_ephemeral(const struct sight *sight)
{
    for (size_t i = 0; i < sight->count; i++) {
        if (sight->entries[i].stat.owner != 0)
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

static void set_below(struct sight *sight, size_t first, size_t end, const char *below)
{
    for (size_t i = first; i < end; i++)
        sight->entries[i].below = below;
}

static enum error_kind see_queue(struct browser *browser, const char *path,
                                 const struct sight *before, const char *const *names,
                                 size_t name_count, struct sight *sight, struct error *error)
{
    enum error_kind kind = make_room(sight, path, name_count, error);
    if (kind != ERROR_NONE)
        return kind;
    sight->kind = SIGHT_QUEUE;
    sight->count = line_read(names, name_count, sight->places);
    set_below(sight, 0, sight->count, "");
    sight->is_lock = sight->count > 0 || (before != NULL && before->is_lock);
    if (before == NULL && name_count > 0 && sight->count == 0)
        return raise_no_queue(path, names, name_count, error);
    kind = keep_names(path, sight, error);
    if (kind == ERROR_NONE)
        kind = look_at_places(browser, path, same_folder(before, sight), sight, error);
    if (kind != ERROR_NONE)
        return kind;
    sight->holders = line_grant(sight->places, sight->count);
    note_holds(before, sight);
    if (kind == ERROR_NONE && before == NULL && sight->count > 0 && !has_ephemeral(sight))
        kind =
            error_raise(error, ERROR_NO_LOCK, 0, path,
                        "its children, such as '%.200s', are not ephemeral", sight->places[0].name);
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
                                  const char *const *names, size_t count, struct sight *sight,
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
    sight->leases_max = leases_max(&data);
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

/* All leases of the list: kazoo's have no numbers. */
static size_t read_leases(const char *const *names, size_t count, struct line_place *places)
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
static void count_holders(struct sight *sight, const struct parts *parts)
{
    size_t leases = 0;
    while (leases < sight->count && strcmp(sight->entries[leases].below, parts->leases) == 0)
        leases++;
    sight->pending = parts == &curator && leases > 0 && leases < sight->count &&
                     sight->entries[leases].stat.owner == sight->entries[leases - 1].stat.owner;
    sight->holders = leases - sight->pending;
    for (size_t i = 0; i < leases; i++)
        sight->places[i].holds = i < sight->holders;
    for (size_t i = 0; parts == &kazoo && i < leases; i++)
        sight->entries[i].held_ms = sight->entries[i].stat.created_ms;
}

static enum error_kind see_parts(struct browser *browser, const char *path,
                                 const struct sight *before, const struct parts *parts,
                                 const char *const *leases, size_t lease_count,
                                 const char *const *line, size_t line_count, struct sight *sight,
                                 struct error *error)
{
    static const struct sight nothing = {.count = 0};
    enum error_kind kind = make_room(sight, path, lease_count + line_count, error);
    if (kind != ERROR_NONE)
        return kind;
    sight->kind = SIGHT_SEMAPHORE;
    sight->is_lock = true;
    size_t first = read_leases(leases, lease_count, sight->places);
    sight->count = first + read_line(line, line_count, sight->places + first);
    set_below(sight, 0, first, parts->leases);
    set_below(sight, first, sight->count, parts->line);
    kind = keep_names(path, sight, error);
    if (kind == ERROR_NONE)
        kind = look_at_places(browser, path, &nothing, sight, error);
    if (kind != ERROR_NONE)
        return kind;
    count_holders(sight, parts);
    note_holds(before, sight);
    return ERROR_NONE;
}

static enum error_kind see_semaphore(struct browser *browser, const char *path,
                                     enum watch_flag watch, const struct sight *before,
                                     const struct parts *parts, struct sight *sight,
                                     struct error *error)
{
    const char **leases = NULL, **line = NULL;
    size_t lease_count = 0, line_count = 0;
    enum error_kind kind =
        list_part(browser, path, parts->leases, watch, &leases, &lease_count, error);
    if (kind == ERROR_NONE)
        kind = list_part(browser, path, parts->line, watch, &line, &line_count, error);
    if (kind == ERROR_NONE)
        kind = see_parts(browser, path, before, parts, leases, lease_count, line, line_count, sight,
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

static bool was_znode(const struct sight *before)
{
    return before != NULL && (before->kind == SIGHT_ZNODE || before->kind == SIGHT_FREE);
}

/* *settled is false if the znode has gone between two questions. */
static enum error_kind see(struct browser *browser, const char *path, enum watch_flag watch,
                           const struct sight *before, struct sight *sight, bool *settled,
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
        sight->kind = was_znode(before) ? SIGHT_FREE : SIGHT_GONE;
        sight->is_lock = before != NULL && before->is_lock;
        return before != NULL
                   ? ERROR_NONE
                   : error_raise(error, ERROR_NO_LOCK, 0, path, "the znode does not exist");
    }
    if (stat.owner != 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    sight->created_ms = stat.created_ms;
    if (stat.owner != 0)
        return see_znode(browser, path, &stat, sight, settled, error);
    kind = browser_list(browser, path, watch, settled, &names, &name_count, error);
    if (kind != ERROR_NONE || !*settled)
        return kind;
    if (before == NULL && name_count == 0 && queue_sequence(path, &sequence))
        return raise_place(path, error);
    const struct parts *parts = NULL;
    kind = find_parts(browser, path, names, name_count, sight, &parts, error);
    if (kind != ERROR_NONE)
        return kind;
    return parts != NULL ? see_semaphore(browser, path, watch, before, parts, sight, error)
                         : see_queue(browser, path, before, names, name_count, sight, error);
}

enum error_kind sight_take(struct browser *browser, const char *path, enum watch_flag watch,
                           const struct sight *before, struct sight *sight, struct error *error)
{
    struct sight taken = {0};
    enum error_kind kind = ERROR_NONE;
    bool settled = false;
    for (int looks = 0; kind == ERROR_NONE && !settled && looks < LOOKS_MAX; looks++) {
        sight_deinit(&taken);
        taken.kind = SIGHT_GONE;
        kind = see(browser, path, watch, before, &taken, &settled, error);
    }
    if (kind == ERROR_NONE)
        *sight = taken;
    else
        sight_deinit(&taken);
    return kind;
}
