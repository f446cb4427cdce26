// SPDX-License-Identifier: Apache-2.0
#include "bench/target/remains.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* root, trial, lock, queue, its znodes, and one to spare. */
#define DEPTH_MAX 6
/* A run of 100,000 clients leaves so many at most; what is larger was not made by one. */
#define ZNODES_MAX ((size_t)1000000)
#define AGE_MS     (REMAINS_AGE_H * INT64_C(3600000))

const char *remains_word(enum remains_state state)
{
    static const char *const words[] = {
#define X(name, word) [REMAINS_##name] = word,
        REMAINS_STATES(X)
#undef X
    };
    return words[state];
}

static void note(struct remains *remains, enum remains_state state, const char *about)
{
    remains->state = state;
    snprintf(remains->about, sizeof remains->about, "%s", about);
}

/* ------------------------------------------------------------------ what is below */

static enum error_kind walk(struct browser *browser, const char *path, unsigned depth,
                            struct remains *remains, struct error *error);

static enum error_kind walk_children(struct browser *browser, const char *path, unsigned depth,
                                     const char *const *names, size_t count,
                                     struct remains *remains, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && remains->state == REMAINS_DEAD && i < count; i++) {
        char *child = memory_format("%s/%s", path, names[i]);
        kind = walk(browser, child, depth + 1, remains, error);
        free(child);
    }
    return kind;
}

/* Only as long as it may be a dead run's. */
static enum error_kind walk(struct browser *browser, const char *path, unsigned depth,
                            struct remains *remains, struct error *error)
{
    struct browser_stat stat;
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind = browser_look(browser, path, NO_WATCH, &there, &stat, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    remains->znodes++;
    if (stat.created_ms > remains->created_ms)
        remains->created_ms = stat.created_ms;
    if (stat.owner != 0)
        note(remains, REMAINS_IN_USE, path);
    else if (depth == DEPTH_MAX || remains->znodes > ZNODES_MAX)
        note(remains, REMAINS_FOREIGN, path);
    if (remains->state != REMAINS_DEAD)
        return ERROR_NONE;
    kind = browser_list(browser, path, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    const char **kept = browser_take_names(browser);
    kind = walk_children(browser, path, depth, kept, count, remains, error);
    free(kept);
    return kind;
}

/* ------------------------------------------------------------------ the root itself */

/* Whether its children may be those of a dead run's root, by their names. */
static void judge_children(const char *const *names, size_t count, struct remains *remains)
{
    for (size_t i = 0; i < count; i++) {
        if (!target_root_is_child(names[i])) {
            note(remains, REMAINS_FOREIGN, names[i]);
            return;
        }
        if (strcmp(names[i], TARGET_ROOT_MARK) == 0)
            remains->state = REMAINS_RUNNING;
    }
}

/* The record, or "" for the root of an older version, which has no data; false: neither. */
static bool read_record(const struct browser_data *data, struct remains *remains)
{
    size_t length = strlen(TARGET_ROOT_RECORD);
    remains->about[0] = '\0';
    if (!data->known || data->length == 0)
        return data->known;
    if (strncmp(data->bytes, TARGET_ROOT_RECORD, length) != 0)
        return false;
    note(remains, remains->state, data->bytes + length);
    return true;
}

/* Without a record only the age shows whether the run may be alive. */
static void judge_age(struct remains *remains)
{
    int64_t now_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    if (remains->about[0] == '\0' && now_ms - remains->created_ms < AGE_MS)
        remains->state = REMAINS_RECENT;
}

static enum error_kind judge_below(struct browser *browser, struct remains *remains,
                                   struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind =
        browser_list(browser, remains->path, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!there) {
        remains->state = REMAINS_GONE;
        return ERROR_NONE;
    }
    judge_children(names, count, remains);
    if (remains->state != REMAINS_DEAD)
        return ERROR_NONE;
    kind = walk(browser, remains->path, 0, remains, error);
    if (kind == ERROR_NONE && remains->state == REMAINS_DEAD)
        judge_age(remains);
    return kind;
}

enum error_kind remains_judge(struct browser *browser, struct remains *remains, struct error *error)
{
    struct browser_stat stat;
    struct browser_data data;
    bool there = false;
    remains->state = REMAINS_DEAD;
    remains->znodes = 0;
    remains->created_ms = 0;
    enum error_kind kind = browser_read(browser, remains->path, &there, &stat, &data, error);
    if (kind == ERROR_NONE && !there)
        remains->state = REMAINS_GONE;
    else if (kind == ERROR_NONE && (!read_record(&data, remains) || stat.owner != 0))
        note(remains, REMAINS_FOREIGN, "");
    if (kind == ERROR_NONE && remains->state == REMAINS_DEAD)
        kind = judge_below(browser, remains, error);
    /* A run's znodes are open to all. */
    if (kind != ERROR_FORBIDDEN)
        return kind;
    note(remains, REMAINS_FOREIGN, "");
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ all of them */

static int compare(const void *a, const void *b)
{
    const struct remains *one = a, *other = b;
    return strcmp(one->path, other->path);
}

static enum error_kind judge_all(struct browser *browser, struct remains_list *list,
                                 struct error *error)
{
    size_t left = 0;
    for (size_t i = 0; i < list->count; i++) {
        enum error_kind kind = remains_judge(browser, &list->items[i], error);
        if (kind != ERROR_NONE)
            return kind;
        if (list->items[i].state != REMAINS_GONE)
            list->items[left++] = list->items[i];
    }
    list->count = left;
    return ERROR_NONE;
}

enum error_kind remains_find(struct browser *browser, struct remains_list *list,
                             struct error *error)
{
    struct remains_list found = {0};
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind = browser_list(browser, "/", NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE)
        return kind;
    found.items = memory_new(count + 1, sizeof *found.items);
    for (size_t i = 0; there && i < count; i++) {
        if (target_root_is_name(names[i]))
            snprintf(found.items[found.count++].path, TARGET_ROOT_PATH_SIZE, "/%.40s", names[i]);
    }
    qsort(found.items, found.count, sizeof *found.items, compare);
    kind = judge_all(browser, &found, error);
    if (kind == ERROR_NONE)
        *list = found;
    else
        remains_deinit(&found);
    return kind;
}

void remains_deinit(struct remains_list *list)
{
    free(list->items);
    *list = (struct remains_list){0};
}
