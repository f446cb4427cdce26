// SPDX-License-Identifier: Apache-2.0
#include "bench/sight.h"

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
    free(sight->stats);
    free(sight->names);
    *sight = (struct sight){0};
}

char *sight_znode(const struct sight *sight, const char *path, size_t place)
{
    char *znode = NULL;
    if (sight->kind == SIGHT_ZNODE)
        return strdup(path);
    const char *folder = strcmp(path, "/") == 0 ? "" : path;
    return asprintf(&znode, "%s/%s", folder, sight->places[place].name) < 0 ? NULL : znode;
}

static bool is_same_znode(const struct sight *one, const struct sight *other, size_t place)
{
    const struct browser_stat *its = &one->stats[place], *others = &other->stats[place];
    return strcmp(one->places[place].name, other->places[place].name) == 0 &&
           its->owner == others->owner && its->created_ms == others->created_ms;
}

bool sight_equal(const struct sight *one, const struct sight *other)
{
    bool equal = one->kind == other->kind && one->count == other->count;
    for (size_t i = 0; equal && i < one->count; i++)
        equal = is_same_znode(one, other, i);
    return equal;
}

static enum fault_kind raise_no_memory(const char *path, struct fault *fault)
{
    return fault_from_errno(fault, ENOMEM, path, "for its znodes");
}

static enum fault_kind make_room(struct sight *sight, const char *path, size_t count,
                                 struct fault *fault)
{
    sight->places = calloc(count + 1, sizeof *sight->places);
    sight->stats = calloc(count + 1, sizeof *sight->stats);
    return sight->places != NULL && sight->stats != NULL ? FAULT_NONE
                                                         : raise_no_memory(path, fault);
}

/* ------------------------------------------------------------------ one znode */

static enum fault_kind see_znode(const char *path, const struct browser_stat *stat,
                                 struct sight *sight, struct fault *fault)
{
    enum fault_kind kind = make_room(sight, path, 1, fault);
    sight->names = strdup(strrchr(path, '/') + 1);
    if (kind == FAULT_NONE && sight->names == NULL)
        kind = raise_no_memory(path, fault);
    if (kind != FAULT_NONE)
        return kind;
    sight->kind = SIGHT_ZNODE;
    sight->places[0] = (struct line_place){.name = sight->names, .holds = true};
    sight->stats[0] = *stat;
    sight->count = sight->holders = 1;
    sight->is_lock = true;
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ a queue */

/* The browser's names are the next list's soon. */
static enum fault_kind keep_names(const char *path, struct sight *sight, struct fault *fault)
{
    size_t size = 1;
    for (size_t i = 0; i < sight->count; i++)
        size += strlen(sight->places[i].name) + 1;
    char *text = sight->names = malloc(size);
    if (text == NULL)
        return raise_no_memory(path, fault);
    for (size_t i = 0; i < sight->count; i++) {
        const char *name = sight->places[i].name;
        sight->places[i].name = text;
        text = stpcpy(text, name) + 1;
    }
    return FAULT_NONE;
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
                     struct browser_stat *stat)
{
    while (*at < known->count && queue_before(known->places[*at].sequence, place->sequence))
        ++*at;
    if (*at == known->count || strcmp(known->places[*at].name, place->name) != 0)
        return false;
    *stat = known->stats[*at];
    return true;
}

static enum fault_kind look_at_place(struct browser *browser, const char *path,
                                     const struct sight *sight, size_t place, bool *there,
                                     struct browser_stat *stat, struct fault *fault)
{
    char *znode = sight_znode(sight, path, place);
    if (znode == NULL)
        return raise_no_memory(path, fault);
    enum fault_kind kind = browser_look(browser, znode, NO_WATCH, there, stat, fault);
    free(znode);
    return kind;
}

/* Who owns each place; those that have gone meanwhile are left out. */
static enum fault_kind look_at_places(struct browser *browser, const char *path,
                                      const struct sight *before, struct sight *sight,
                                      struct fault *fault)
{
    const struct sight *known = same_folder(before, sight);
    size_t left = 0, at = 0;
    for (size_t i = 0; i < sight->count; i++) {
        struct browser_stat stat = {0};
        bool there = is_known(known, &sight->places[i], &at, &stat);
        if (!there) {
            enum fault_kind kind = look_at_place(browser, path, sight, i, &there, &stat, fault);
            if (kind != FAULT_NONE)
                return kind;
        }
        if (!there)
            continue;
        sight->places[left] = sight->places[i];
        sight->stats[left++] = stat;
    }
    sight->count = left;
    sight->holders = line_grant(sight->places, left);
    return FAULT_NONE;
}

static bool has_ephemeral(const struct sight *sight)
{
    for (size_t i = 0; i < sight->count; i++) {
        if (sight->stats[i].owner != 0)
            return true;
    }
    return false;
}

/* In the folder of a lock of zkherd run the queue, or the one znode, may be a child. */
static enum fault_kind raise_no_queue(const char *path, const char *const *names, size_t name_count,
                                      struct fault *fault)
{
    for (size_t i = 0; i < name_count; i++) {
        if (strcmp(names[i], "queue") == 0 || strcmp(names[i], "f") == 0)
            return fault_raise(fault, FAULT_NO_LOCK, 0, path,
                               "its children have no sequence numbers, but %.200s/%s may be one",
                               path, names[i]);
    }
    return fault_raise(fault, FAULT_NO_LOCK, 0, path,
                       "its children, as '%.200s', have no sequence numbers", names[0]);
}

static enum fault_kind see_queue(struct browser *browser, const char *path,
                                 const struct sight *before, const char *const *names,
                                 size_t name_count, struct sight *sight, struct fault *fault)
{
    enum fault_kind kind = make_room(sight, path, name_count, fault);
    if (kind != FAULT_NONE)
        return kind;
    sight->kind = SIGHT_QUEUE;
    sight->count = line_read(names, name_count, sight->places);
    sight->is_lock = sight->count > 0 || (before != NULL && before->is_lock);
    if (before == NULL && name_count > 0 && sight->count == 0)
        return raise_no_queue(path, names, name_count, fault);
    kind = keep_names(path, sight, fault);
    if (kind == FAULT_NONE)
        kind = look_at_places(browser, path, before, sight, fault);
    if (kind == FAULT_NONE && before == NULL && sight->count > 0 && !has_ephemeral(sight))
        kind = fault_raise(fault, FAULT_NO_LOCK, 0, path,
                           "its children, as '%.200s', are no session's: they are not ephemeral",
                           sight->places[0].name);
    return kind;
}

/* ------------------------------------------------------------------ whatever it is */

static enum fault_kind raise_place(const char *path, struct fault *fault)
{
    return fault_raise(fault, FAULT_NO_LOCK, 0, path,
                       "it is one place in a line: the lock is its folder");
}

static bool was_znode(const struct sight *before)
{
    return before != NULL && (before->kind == SIGHT_ZNODE || before->kind == SIGHT_FREE);
}

/* *settled is false if the znode has gone between two questions. */
static enum fault_kind see(struct browser *browser, const char *path, enum watch_flag watch,
                           const struct sight *before, struct sight *sight, bool *settled,
                           struct fault *fault)
{
    struct browser_stat stat;
    const char *const *names = NULL;
    size_t name_count = 0;
    bool there = false;
    int32_t sequence;
    enum fault_kind kind = browser_look(browser, path, watch, &there, &stat, fault);
    *settled = true;
    if (kind != FAULT_NONE)
        return kind;
    if (!there) {
        sight->kind = was_znode(before) ? SIGHT_FREE : SIGHT_GONE;
        sight->is_lock = before != NULL && before->is_lock;
        return before != NULL
                   ? FAULT_NONE
                   : fault_raise(fault, FAULT_NO_LOCK, 0, path, "there is no such znode");
    }
    if (stat.owner != 0 && queue_sequence(path, &sequence))
        return raise_place(path, fault);
    sight->created_ms = stat.created_ms;
    if (stat.owner != 0)
        return see_znode(path, &stat, sight, fault);
    kind = browser_list(browser, path, watch, settled, &names, &name_count, fault);
    if (kind != FAULT_NONE || !*settled)
        return kind;
    if (before == NULL && name_count == 0 && queue_sequence(path, &sequence))
        return raise_place(path, fault);
    return see_queue(browser, path, before, names, name_count, sight, fault);
}

enum fault_kind sight_take(struct browser *browser, const char *path, enum watch_flag watch,
                           const struct sight *before, struct sight *sight, struct fault *fault)
{
    struct sight taken = {.kind = SIGHT_GONE};
    enum fault_kind kind = FAULT_NONE;
    bool settled = false;
    for (int looks = 0; kind == FAULT_NONE && !settled && looks < LOOKS_MAX; looks++)
        kind = see(browser, path, watch, before, &taken, &settled, fault);
    if (kind == FAULT_NONE)
        *sight = taken;
    else
        sight_deinit(&taken);
    return kind;
}
