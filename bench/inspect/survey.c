// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/survey.h"

#include "bench/inspect/lock_view.h"
#include "recipes/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static enum error_kind raise_no_memory(const char *path, struct error *error)
{
    return error_from_errno(error, ENOMEM, path, "for the locks below it");
}

/* path/name, or path and what is behind it of a part of a lock; malloc'd. */
static char *join(const char *path, const char *between, const char *name)
{
    char *joined = NULL;
    bool is_root = strcmp(path, "/") == 0;
    return asprintf(&joined, "%s%s%s", is_root ? "" : path, between, name) < 0 ? NULL : joined;
}

static enum error_kind enqueue(struct search *search, const char *path, const char *name,
                               unsigned depth, struct error *error)
{
    if (search->count == SURVEY_ZNODES_MAX || depth > SURVEY_DEPTH_MAX) {
        search->survey->complete = false;
        return ERROR_NONE;
    }
    char *copy = name[0] == '\0' ? strdup(path) : join(path, "/", name);
    if (copy == NULL)
        return raise_no_memory(path, error);
    search->queue[search->count++] = (struct queued){copy, depth};
    return ERROR_NONE;
}

/* What may not be listed or looked at is left out, and no error. */
static enum error_kind skip_forbidden(struct search *search, enum error_kind kind)
{
    if (kind != ERROR_FORBIDDEN)
        return kind;
    search->survey->complete = false;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ one lock */

static struct survey_lock *add_lock(struct survey *survey, const char *path)
{
    if (survey->count == survey->capacity) {
        size_t capacity = survey->capacity == 0 ? 16 : 2 * survey->capacity;
        void *larger = realloc(survey->locks, capacity * sizeof *survey->locks);
        if (larger == NULL)
            return NULL;
        survey->locks = larger;
        survey->capacity = capacity;
    }
    struct survey_lock *lock = &survey->locks[survey->count];
    *lock = (struct survey_lock){.path = strdup(path)};
    if (lock->path == NULL)
        return NULL;
    survey->count++;
    return lock;
}

/* The first of the places that is still there. */
static enum error_kind look_at_first(struct browser *browser, const char *folder,
                                     const struct line_place *places, size_t count, bool *there,
                                     struct browser_stat *stat, struct browser_data *data,
                                     struct error *error)
{
    *there = false;
    for (size_t i = 0; !*there && i < count && i < LOOKS_MAX; i++) {
        char *znode = join(folder, "/", places[i].name);
        if (znode == NULL)
            return raise_no_memory(folder, error);
        enum error_kind kind = browser_read(browser, znode, there, stat, data, error);
        free(znode);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* The holders are the first so many places of one folder, the waiters are of another or the same.
 */
struct parts {
    const char *holders_folder, *waiters_folder;
    const struct line_place *holders, *waiters;
    size_t holder_count, waiter_count;
};

static enum error_kind note_lock(struct search *search, const char *path, const char *recipe,
                                 const struct parts *parts, struct error *error)
{
    struct browser_stat holder = {0}, waiter = {0};
    struct browser_data data = {.known = false}, ignored;
    bool has_holder = false, has_waiter = false;
    enum error_kind kind = look_at_first(search->browser, parts->holders_folder, parts->holders,
                                         parts->holder_count, &has_holder, &holder, &data, error);
    if (kind == ERROR_NONE)
        kind = look_at_first(search->browser, parts->waiters_folder, parts->waiters,
                             parts->waiter_count, &has_waiter, &waiter, &ignored, error);
    if (kind != ERROR_NONE)
        return kind;
    struct survey_lock *lock = add_lock(search->survey, path);
    if (lock == NULL)
        return raise_no_memory(path, error);
    lock->recipe = recipe;
    lock->holders = parts->holder_count;
    lock->waiters = parts->waiter_count;
    lock->found_holder = has_holder;
    lock->session = holder.owner;
    lock->data = data;
    lock->oldest_ms = has_waiter ? waiter.created_ms : 0;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ queues */

/* Numbered znodes of no session are tasks, or anything else. */
static enum error_kind is_queue(struct search *search, const char *path,
                                const struct line_place *places, size_t count, bool *queue,
                                struct error *error)
{
    struct browser_stat stat;
    struct browser_data ignored;
    bool there = false;
    enum error_kind kind =
        look_at_first(search->browser, path, places, count, &there, &stat, &ignored, error);
    *queue = kind == ERROR_NONE && there && stat.owner != 0;
    return kind;
}

static enum error_kind note_queue(struct search *search, const char *path,
                                  const struct line_place *places, size_t count, bool *noted,
                                  struct error *error)
{
    size_t holders = 0;
    *noted = false;
    if (count == 0)
        return ERROR_NONE;
    enum error_kind kind = is_queue(search, path, places, count, noted, error);
    if (kind != ERROR_NONE || !*noted)
        return kind;
    while (holders < count && places[holders].holds)
        holders++;
    const struct parts parts = {path, path, places, places + holders, holders, count - holders};
    return note_lock(search, path, line_recipe(places, count), &parts, error);
}

/* ------------------------------------------------------------------ semaphores */

/* A list of a folder that is part of a semaphore: places, as many as there are znodes. */
struct part {
    char *folder;
    const char **names;
    struct line_place *places;
    size_t count;
};

static void free_part(struct part *part)
{
    free(part->folder);
    free(part->names);
    free(part->places);
}

/* What there is of it is for free_part, on an error too. Takes the folder. */
static enum error_kind list_part(struct search *search, char *folder, struct part *part,
                                 struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    *part = (struct part){.folder = folder};
    if (folder == NULL)
        return raise_no_memory("/", error);
    enum error_kind kind =
        browser_list(search->browser, folder, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    part->names = browser_take_names(search->browser);
    part->places = calloc(count + 1, sizeof *part->places);
    if (part->places == NULL)
        return raise_no_memory(folder, error);
    part->count = lock_view_read_leases(part->names, count, part->places);
    search->survey->znodes++;
    return ERROR_NONE;
}

/* A semaphore with a part that may not be listed is left out. */
static enum error_kind note_semaphore(struct search *search, const char *path, const char *recipe,
                                      const char *leases, const char *line, struct error *error)
{
    struct part held = {0}, waiting = {0};
    enum error_kind kind = list_part(search, join(path, leases, ""), &held, error);
    if (kind == ERROR_NONE)
        kind = list_part(search, join(path, line, ""), &waiting, error);
    if (kind == ERROR_NONE) {
        const struct parts parts = {held.folder,    waiting.folder, held.places,
                                    waiting.places, held.count,     waiting.count};
        kind = note_lock(search, path, recipe, &parts, error);
    }
    free_part(&held);
    free_part(&waiting);
    return skip_forbidden(search, kind);
}

/* ------------------------------------------------------------------ the way through the tree */

static bool has_name(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(names[i], name, length) == 0 && names[i][length] == '\0')
            return true;
    }
    return false;
}

/* Of X-__lock__ the length of X; else 0. */
static size_t length_before_line(const char *name)
{
    size_t length = strlen(name), end = strlen(LINE_KAZOO_LINE);
    return length > end && strcmp(name + length - end, LINE_KAZOO_LINE) == 0 ? length - end : 0;
}

/* kazoo's semaphores among the children; *part of a child that belongs to one is set. */
static enum error_kind note_kazoo_semaphores(struct search *search, const char *path,
                                             const char *const *names, size_t count, bool *part,
                                             struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        size_t length = length_before_line(names[i]);
        if (length == 0 || !has_name(names, count, names[i], length))
            continue;
        char *name = strndup(names[i], length);
        char *semaphore = name != NULL ? join(path, "/", name) : NULL;
        kind = semaphore != NULL ? note_semaphore(search, semaphore, "kazoo semaphore", "",
                                                  LINE_KAZOO_LINE, error)
                                 : raise_no_memory(path, error);
        for (size_t j = 0; name != NULL && j < count; j++)
            part[j] = part[j] || j == i || strcmp(names[j], name) == 0;
        free(semaphore);
        free(name);
    }
    return kind;
}

static enum error_kind note_curator_semaphore(struct search *search, const char *path,
                                              const char *const *names, size_t count, bool *part,
                                              struct error *error)
{
    const char *const leases = LINE_CURATOR_LEASES, *const line = LINE_CURATOR_LINE;
    if (!has_name(names, count, leases, strlen(leases)) ||
        !has_name(names, count, line, strlen(line)))
        return ERROR_NONE;
    for (size_t i = 0; i < count; i++)
        part[i] = part[i] || strcmp(names[i], leases) == 0 || strcmp(names[i], line) == 0;
    return note_semaphore(search, path, "Curator semaphore", "/" LINE_CURATOR_LEASES,
                          "/" LINE_CURATOR_LINE, error);
}

static enum error_kind note_own_queue(struct search *search, const char *path,
                                      const char *const *names, size_t count, bool *part,
                                      struct error *error)
{
    bool noted = false;
    struct line_place *places = calloc(count + 1, sizeof *places);
    if (places == NULL)
        return raise_no_memory(path, error);
    size_t place_count = line_read(names, count, places);
    enum error_kind kind = note_queue(search, path, places, place_count, &noted, error);
    struct line_place one;
    for (size_t i = 0; noted && i < count; i++)
        part[i] = part[i] || line_read(&names[i], 1, &one) > 0;
    free(places);
    return skip_forbidden(search, kind);
}

/* The locks that these children are of, and the children that are of none as further queue. */
static enum error_kind visit(struct search *search, const struct queued *queued,
                             const char *const *names, size_t count, struct error *error)
{
    bool *part = calloc(count + 1, sizeof *part);
    if (part == NULL)
        return raise_no_memory(queued->path, error);
    enum error_kind kind = note_curator_semaphore(search, queued->path, names, count, part, error);
    if (kind == ERROR_NONE)
        kind = note_kazoo_semaphores(search, queued->path, names, count, part, error);
    if (kind == ERROR_NONE)
        kind = note_own_queue(search, queued->path, names, count, part, error);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        if (!part[i])
            kind = enqueue(search, queued->path, names[i], queued->depth + 1, error);
    }
    free(part);
    return kind;
}

static enum error_kind list_queued(struct search *search, const struct queued *queued,
                                   struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind =
        browser_list(search->browser, queued->path, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE || !there)
        return skip_forbidden(search, kind);
    search->survey->znodes++;
    const char **kept = browser_take_names(search->browser);
    kind = visit(search, queued, kept, count, error);
    free(kept);
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

enum error_kind survey_take(struct browser *browser, const char *path, struct survey *survey,
                            struct error *error)
{
    struct survey taken = {.complete = true};
    struct search search = {.browser = browser, .survey = &taken};
    search.queue = calloc(SURVEY_ZNODES_MAX, sizeof *search.queue);
    enum error_kind kind =
        search.queue != NULL ? enqueue(&search, path, "", 0, error) : raise_no_memory(path, error);
    for (; kind == ERROR_NONE && search.next < search.count; search.next++)
        kind = list_queued(&search, &search.queue[search.next], error);
    for (size_t i = 0; i < search.count; i++)
        free(search.queue[i].path);
    free(search.queue);
    if (kind == ERROR_NONE && taken.count > 0)
        qsort(taken.locks, taken.count, sizeof *taken.locks, compare);
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
    free(survey->locks);
    *survey = (struct survey){0};
}
