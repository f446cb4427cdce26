// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/inspect/internal.h"
#include "recipes/queue.h"

#include <stdlib.h>
#include <string.h>

/* The child of / with ZooKeeper's own znodes. */
#define OWN_NAME "zookeeper"

/* So many places that have gone meanwhile are passed over to find a holder or a waiter. */
#define LOOKS_MAX 8

/* A znode whose children are to be listed. */
struct queued {
    char *path;
    unsigned depth;
};

/* A search breadth first, so that a limit cuts off the deepest znodes. */
struct search {
    struct browser *browser;
    struct survey *survey;
    struct queued *queue;
    size_t count, next;
};

/* What may not be listed or looked at is left out, and no error. */
static enum error_kind skip_forbidden(struct search *search, enum error_kind kind)
{
    if (kind != ERROR_FORBIDDEN)
        return kind;
    search->survey->complete = false;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ one lock */

/* The holders or the waiters of a lock. */
struct group {
    const char *folder;
    const struct line_place *places;
    size_t count;
};

/* Reads the first of them that is still there. */
static enum error_kind look_at_first(struct browser *browser, const struct group *group,
                                     bool *there, struct browser_stat *stat,
                                     struct browser_data *data, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *there = false;
    for (size_t i = 0; kind == ERROR_NONE && !*there && i < group->count && i < LOOKS_MAX; i++) {
        char *znode = lock_view_join(group->folder, group->places[i].name);
        kind = browser_read(browser, znode, there, stat, data, error);
        free(znode);
    }
    return kind;
}

/* Numbered znodes of no session are tasks, or anything else, and not noted. */
static enum error_kind note_lock(struct search *search, const char *path, const char *recipe,
                                 const struct group *holders, const struct group *waiters,
                                 bool *noted, struct error *error)
{
    struct survey *survey = search->survey;
    struct browser_stat holder = {0}, waiter = {0};
    struct browser_data data = {.known = false}, ignored;
    bool has_holder = false, has_waiter = false;
    enum error_kind kind =
        look_at_first(search->browser, holders, &has_holder, &holder, &data, error);
    if (kind == ERROR_NONE && (!has_holder || holder.owner != 0))
        kind = look_at_first(search->browser, waiters, &has_waiter, &waiter, &ignored, error);
    *noted = kind == ERROR_NONE && (has_holder ? holder.owner : waiter.owner) != 0;
    if (!*noted)
        return kind;
    survey->locks = memory_grow(survey->locks, survey->count, sizeof *survey->locks);
    survey->locks[survey->count++] = (struct survey_lock){
        .path = memory_text(path),
        .recipe = recipe,
        .holders = holders->count,
        .waiters = waiters->count,
        .found_holder = has_holder,
        .session = holder.owner,
        .data = data,
        .oldest_ms = has_waiter ? waiter.created_ms : 0,
    };
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the way through the tree */

/* Notes the lock that the children of a znode are of, and sets *part of a child that belongs to it.
 */
static enum error_kind note_queue(struct search *search, const char *path, const char *const *names,
                                  size_t count, bool *part, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    bool noted = false;
    size_t holders = 0;
    struct line_place one, *places = memory_new(count + 1, sizeof *places);
    size_t place_count = line_read(names, count, places);
    while (holders < place_count && places[holders].holds)
        holders++;
    if (place_count > 0)
        kind = note_lock(
            search, path, line_recipe(places, place_count), &(struct group){path, places, holders},
            &(struct group){path, places + holders, place_count - holders}, &noted, error);
    for (size_t i = 0; noted && i < count; i++)
        part[i] = part[i] || line_read(&names[i], 1, &one) > 0;
    free(places);
    return skip_forbidden(search, kind);
}

/* Notes the path of a znode without children, unless it is a place in a queue, a task or a
 * registration. */
static enum error_kind note_childless(struct search *search, const struct queued *queued,
                                      struct error *error)
{
    struct survey *survey = search->survey;
    struct browser_stat stat;
    bool there = false;
    int32_t sequence;
    if (queued->depth == 0 || queue_sequence(queued->path, &sequence))
        return ERROR_NONE;
    enum error_kind kind = browser_exists(search->browser, queued->path, &there, &stat, error);
    if (kind != ERROR_NONE || !there || stat.owner != 0)
        return skip_forbidden(search, kind);
    survey->childless =
        memory_grow(survey->childless, survey->childless_count, sizeof *survey->childless);
    survey->childless[survey->childless_count++] = memory_text(queued->path);
    return ERROR_NONE;
}

/* Notes the locks that its children are of, and adds the children that are of none to the queue. */
static enum error_kind visit(struct search *search, const struct queued *queued,
                             struct error *error)
{
    const char *const *list = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind =
        browser_list(search->browser, queued->path, &there, &list, &count, error);
    if (kind != ERROR_NONE || !there)
        return skip_forbidden(search, kind);
    search->survey->znodes++;
    if (count == 0)
        return note_childless(search, queued, error);
    const char **names = browser_own_names(search->browser);
    bool *part = memory_new(count + 1, sizeof *part);
    kind = note_queue(search, queued->path, names, count, part, error);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        unsigned depth = queued->depth + 1;
        if (part[i] || (strcmp(queued->path, "/") == 0 && strcmp(names[i], OWN_NAME) == 0))
            continue;
        if (search->count == SURVEY_ZNODES_MAX || depth > SURVEY_DEPTH_MAX)
            search->survey->complete = false;
        else
            search->queue[search->count++] =
                (struct queued){lock_view_join(queued->path, names[i]), depth};
    }
    free(part);
    free(names);
    return kind;
}

static int compare(const void *a, const void *b)
{
    const struct survey_lock *one = a, *other = b;
    if (one->waiters != other->waiters)
        return one->waiters < other->waiters ? 1 : -1;
    if (one->oldest_ms != other->oldest_ms)
        return one->oldest_ms > other->oldest_ms ? 1 : -1;
    return strcmp(one->path, other->path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum error_kind survey_take(struct browser *browser, const char *path, struct survey *survey,
                            struct error *error)
{
    struct survey taken = {.complete = true};
    struct search search = {.browser = browser, .survey = &taken};
    enum error_kind kind = ERROR_NONE;
    search.queue = memory_new(SURVEY_ZNODES_MAX, sizeof *search.queue);
    search.queue[search.count++] = (struct queued){memory_text(path), 0};
    for (; kind == ERROR_NONE && search.next < search.count; search.next++)
        kind = visit(&search, &search.queue[search.next], error);
    for (size_t i = 0; i < search.count; i++)
        free(search.queue[i].path);
    free(search.queue);
    if (kind == ERROR_NONE && taken.count > 0)
        qsort(taken.locks, taken.count, sizeof *taken.locks, compare);
    if (kind == ERROR_NONE && taken.childless_count > 0)
        qsort(taken.childless, taken.childless_count, sizeof *taken.childless, compare_paths);
    if (kind == ERROR_NONE)
        *survey = taken;
    else
        survey_deinit(&taken);
    return kind;
}

void survey_deinit(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++)
        free(survey->locks[i].path);
    for (size_t i = 0; i < survey->childless_count; i++)
        free(survey->childless[i]);
    free(survey->locks);
    free(survey->childless);
    *survey = (struct survey){0};
}
