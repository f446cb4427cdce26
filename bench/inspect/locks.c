// SPDX-License-Identifier: Apache-2.0
/* Reads the lock at a path, or all locks below it. */
#include "base/memory.h"
#include "bench/inspect/internal.h"
#include "bench/target/target.h"
#include "recipes/queue.h"

#include <stdlib.h>
#include <string.h>

/* The child of / with ZooKeeper's own znodes. */
#define OWN_NAME "zookeeper"

/* Places deleted during the reading, which are skipped to find a holder or a waiter. */
#define LOOKS_MAX 8

static char *join(const char *path, const char *name)
{
    return memory_format("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
}

static void lock_deinit(struct lock *lock)
{
    for (size_t i = 0; i < lock->count; i++)
        free(lock->places[i].path);
    free(lock->places);
    free(lock->path);
    *lock = (struct lock){0};
}

/* ------------------------------------------------------------------ the places of a lock */

/* Reads a znode, and adds it to the places if it is there. */
static enum error_kind add_place(struct browser *browser, char *path, const struct line_place *line,
                                 struct lock *lock, bool *there, struct error *error)
{
    struct place place = {.line = *line, .path = path};
    enum error_kind kind = browser_read(browser, path, there, &place.stat, &place.data, error);
    if (kind != ERROR_NONE || !*there) {
        free(path);
        return kind;
    }
    place.line.name = strrchr(place.path, '/') + 1;
    lock->places = memory_grow(lock->places, lock->count, sizeof *lock->places);
    lock->places[lock->count++] = place;
    return ERROR_NONE;
}

/* The places by their names, leases of kazoo's or else numbers, in order; returns how many. */
static size_t read_names(const char *const *names, size_t count, struct line_place *lines)
{
    size_t leases = 0;
    for (size_t i = 0; i < count; i++)
        if (line_is_kazoo_lease(names[i]))
            lines[leases++] =
                (struct line_place){.name = names[i], .role = LINE_LEASES, .holds = true};
    return leases > 0 ? leases : line_read(names, count, lines);
}

/* Reads a lock out of the names of a folder's children: all places, or the first holder and the
 * first waiter that are there. *is_lock: a place is of a session, or has the name of a library. */
static enum error_kind read_queue(struct browser *browser, const char *path,
                                  const char *const *names, size_t name_count, bool all,
                                  struct lock *lock, bool *is_lock, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    struct line_place *lines = memory_new(name_count + 1, sizeof *lines);
    size_t count = read_names(names, name_count, lines), looks = 0;
    bool there, sought = true;
    *lock = (struct lock){.path = memory_text(path), .recipe = "queue"};
    lock->waiters_unknown = count > 0 && line_is_kazoo_lease(lines[0].name);
    if (count > 0)
        lock->recipe = lock->waiters_unknown ? "kazoo leases" : line_recipe(lines, count);
    for (size_t i = 0; i < count; i++)
        *(lines[i].holds ? &lock->holders : &lock->waiters) += 1;
    *is_lock = count > 0 && strchr(lock->recipe, ' ') != NULL;
    for (size_t i = 0; i < count && kind == ERROR_NONE; i++) {
        if (i == lock->holders) { /* the first waiter */
            sought = true;
            looks = 0;
        }
        if (!all && (!sought || looks++ == LOOKS_MAX))
            continue;
        kind = add_place(browser, join(path, lines[i].name), &lines[i], lock, &there, error);
        sought = kind == ERROR_NONE && !there;
        *is_lock |= kind == ERROR_NONE && there && lock->places[lock->count - 1].stat.owner != 0;
    }
    free(lines);
    return kind;
}

/* Finds who holds among all places that were there, without those that have gone. */
static void grant(struct lock *lock)
{
    size_t holders = 0;
    while (holders < lock->count &&
           line_joins(&lock->places[holders].line, holders, &lock->places[0].line))
        lock->places[holders++].line.holds = true;
    lock->holders = holders;
    lock->waiters = lock->count - holders;
}

/* One ephemeral znode. */
static enum error_kind read_znode(struct browser *browser, const char *path, struct lock *lock,
                                  bool *there, struct error *error)
{
    const struct line_place line = {.role = LINE_ALONE, .holds = true};
    *lock = (struct lock){.path = memory_text(path),
                          .recipe = "one znode",
                          .by_name = true,
                          .waiters_unknown = true,
                          .holders = 1};
    return add_place(browser, memory_text(path), &line, lock, there, error);
}

/* ------------------------------------------------------------------ the tree */

/* A search breadth first, so that a limit cuts off the deepest znodes. */
struct search {
    struct browser *browser;
    struct survey *survey;
    struct queued {
        char *path;
        unsigned depth;
    } * queue; /* znodes whose children are to be listed */
    size_t count, next;
};

static enum error_kind raise_none(const struct queued *queued, const char *why, struct error *error)
{
    return error_raise(error, ERROR_NO_LOCK, 0, queued->path, "%s", why);
}

static void add_lock(struct survey *survey, const struct lock *lock)
{
    survey->locks = memory_grow(survey->locks, survey->count, sizeof *survey->locks);
    survey->locks[survey->count++] = *lock;
}

/* A znode without children: a lock of one znode, or maybe a free queue; a numbered one is a place,
 * or a task. */
static enum error_kind visit_childless(struct search *search, const struct queued *queued,
                                       struct error *error)
{
    struct survey *survey = search->survey;
    struct browser_stat stat = {0};
    struct lock lock = {0};
    bool there = false, is_asked_for = queued->depth == 0;
    int32_t sequence;
    if (queue_sequence(queued->path, &sequence))
        return !is_asked_for
                   ? ERROR_NONE
                   : raise_none(queued,
                                "this znode is one place in a queue; its folder is the lock",
                                error);
    enum error_kind kind = browser_exists(search->browser, queued->path, &there, &stat, error);
    if (kind == ERROR_NONE && there && stat.owner != 0)
        kind = read_znode(search->browser, queued->path, &lock, &there, error);
    else if (kind == ERROR_NONE && there && is_asked_for)
        lock = (struct lock){.path = memory_text(queued->path), .recipe = "queue"};
    else if (kind == ERROR_NONE && there) {
        survey->childless =
            memory_grow(survey->childless, survey->childless_count, sizeof *survey->childless);
        survey->childless[survey->childless_count++] = memory_text(queued->path);
    }
    if (kind == ERROR_NONE && !there && is_asked_for)
        kind = raise_none(queued, "the znode does not exist", error);
    survey->is_lock = is_asked_for;
    if (lock.path != NULL)
        add_lock(survey, &lock);
    return kind;
}

/* Queues a child, but for ZooKeeper's own znodes and the mark of a run of zkherd. */
static void queue_child(struct search *search, const struct queued *queued, const char *name)
{
    if ((strcmp(queued->path, "/") == 0 && strcmp(name, OWN_NAME) == 0) ||
        (strcmp(name, TARGET_ROOT_MARK) == 0 &&
         target_root_is_name(strrchr(queued->path, '/') + 1)))
        return;
    if (search->count == SURVEY_ZNODES_MAX || queued->depth == SURVEY_DEPTH_MAX)
        search->survey->is_cut = true;
    else
        search->queue[search->count++] =
            (struct queued){join(queued->path, name), queued->depth + 1};
}

static bool is_place(const char *name)
{
    int32_t sequence;
    return line_is_kazoo_lease(name) || queue_sequence(name, &sequence);
}

/* Adds the lock that the children are, and queues those that are none of its places. */
static enum error_kind visit(struct search *search, const struct queued *queued,
                             struct error *error)
{
    struct survey *survey = search->survey;
    const char *const *listed = NULL;
    size_t count = 0;
    bool there = false, is_lock = false, is_asked_for = queued->depth == 0;
    struct lock lock = {0};
    enum error_kind kind =
        browser_list(search->browser, queued->path, &there, &listed, &count, error);
    if (kind == ERROR_FORBIDDEN && !is_asked_for) {
        survey->unreadable++;
        return ERROR_NONE;
    }
    if (kind == ERROR_NONE && !there && is_asked_for)
        kind = raise_none(queued, "the znode does not exist", error);
    if (kind != ERROR_NONE || !there)
        return kind;
    survey->znodes++;
    if (count == 0)
        return visit_childless(search, queued, error);
    const char **names = browser_own_names(search->browser);
    kind = read_queue(search->browser, queued->path, names, count, is_asked_for, &lock, &is_lock,
                      error);
    survey->is_lock = is_lock && is_asked_for;
    if (survey->is_lock)
        grant(&lock);
    if (is_lock)
        add_lock(survey, &lock);
    else {
        survey->tasks += lock.count > 0;
        lock_deinit(&lock);
    }
    for (size_t i = 0; kind == ERROR_NONE && i < count && !survey->is_lock; i++)
        if (!is_lock || !is_place(names[i]))
            queue_child(search, queued, names[i]);
    free(names);
    return kind;
}

/* Time of the first waiter's znode; INT64_MAX: none waits. */
static int64_t oldest_ms(const struct lock *lock)
{
    for (size_t i = 0; i < lock->count; i++)
        if (!lock->places[i].line.holds)
            return lock->places[i].stat.created_ms;
    return INT64_MAX;
}

static int compare(const void *a, const void *b)
{
    const struct lock *one = a, *other = b;
    int64_t oldest = oldest_ms(one), other_oldest = oldest_ms(other);
    if (one->by_name != other->by_name)
        return one->by_name ? 1 : -1;
    if (one->waiters != other->waiters)
        return one->waiters < other->waiters ? 1 : -1;
    if (oldest != other_oldest)
        return oldest > other_oldest ? 1 : -1;
    return strcmp(one->path, other->path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum error_kind survey_read(struct browser *browser, const char *path, struct survey *survey,
                            struct error *error)
{
    struct search search = {.browser = browser, .survey = survey};
    enum error_kind kind = ERROR_NONE;
    *survey = (struct survey){0};
    search.queue = memory_new(SURVEY_ZNODES_MAX, sizeof *search.queue);
    search.queue[search.count++] = (struct queued){memory_text(path), 0};
    for (; kind == ERROR_NONE && search.next < search.count; search.next++)
        kind = visit(&search, &search.queue[search.next], error);
    for (size_t i = 0; i < search.count; i++)
        free(search.queue[i].path);
    free(search.queue);
    if (survey->count > 0)
        qsort(survey->locks, survey->count, sizeof *survey->locks, compare);
    if (survey->childless_count > 0)
        qsort(survey->childless, survey->childless_count, sizeof *survey->childless, compare_paths);
    if (kind != ERROR_NONE)
        survey_deinit(survey);
    return kind;
}

void survey_deinit(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++)
        lock_deinit(&survey->locks[i]);
    for (size_t i = 0; i < survey->childless_count; i++)
        free(survey->childless[i]);
    free(survey->locks);
    free(survey->childless);
    *survey = (struct survey){0};
}
