// SPDX-License-Identifier: Apache-2.0
/* Reads the lock at a path, or all locks below it. */
#include "base/memory.h"
#include "bench/inspect/internal.h"
#include "bench/target/target.h"
#include "recipes/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The child of / with ZooKeeper's own znodes. */
#define OWN_NAME "zookeeper"

/* Znodes of a lock below a folder that are read, at most, to find one that is there, or of a
 * session. */
#define LOOKS_MAX 8

/* The least number of ten digits that does not begin with a zero. */
#define ID_LEAST 1000000000

/* The reading of a tree, breadth first, so that a limit cuts off the deepest znodes. */
struct reading {
    struct browser *browser;
    struct survey *survey;
    struct queued {
        char *path;
        unsigned depth; /* 0: the path that is asked for */
        bool is_named;  /* by its creator, although it ends in digits */
    } * queue;          /* znodes whose children are to be listed */
    size_t count;
};

static char *join(const char *path, const char *name)
{
    return memory_format("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
}

/* ------------------------------------------------------------------ the places of a lock */

/* Reads a znode, and adds it to the places if it is there. */
static bool add_place(struct reading *reading, char *path, const struct line_place *line,
                      struct lock *lock)
{
    struct place place = {.line = *line, .path = path};
    if (!browser_read(reading->browser, path, &place.stat, &place.data)) {
        free(path);
        return false;
    }
    place.line.name = strrchr(path, '/') + 1;
    lock->places = memory_grow(lock->places, lock->count, sizeof *lock->places);
    lock->places[lock->count++] = place;
    return true;
}

static bool is_of_session(struct reading *reading, const char *folder, const char *name)
{
    char *path = join(folder, name);
    struct browser_stat stat;
    const bool there = browser_exists(reading->browser, path, &stat);
    free(path);
    return there && stat.owner != 0;
}

/* Whether the digits at the end of a child's name are an id, as of a time or an order: a server
 * fills up numbers with zeros, and has not given that many. */
static bool is_id(struct reading *reading, const char *folder, int32_t sequence)
{
    struct browser_stat stat;
    return sequence >= ID_LEAST && browser_exists(reading->browser, folder, &stat) &&
           (uint32_t)sequence > stat.children_made;
}

/* Whether a child's name is that of a place, in a queue or among leases of kazoo's. */
static bool is_place(const char *name, bool are_leases)
{
    int32_t sequence;
    return line_is_kazoo_lease(name) ? are_leases : !are_leases && queue_sequence(name, &sequence);
}

/* The places by their names, numbered or else leases, in order; returns how many. */
static size_t read_names(const char *const *names, size_t count, struct line_place *lines)
{
    size_t places = line_read(names, count, lines);
    const bool are_leases = places == 0;
    for (size_t i = 0; i < count && are_leases; i++)
        if (is_place(names[i], true))
            lines[places++] = (struct line_place){.name = names[i], .role = LINE_LEASES};
    return places;
}

/* Reads the first of some places that is there. */
static bool add_first(struct reading *reading, const struct line_place *lines, size_t count,
                      struct lock *lock)
{
    for (size_t i = 0; i < count && i < LOOKS_MAX; i++)
        if (add_place(reading, join(lock->path, lines[i].name), &lines[i], lock))
            return true;
    return false;
}

/* Reads a lock out of its places: all of them, without those that have gone, or the first holder
 * and the first waiter. */
static void read_places(struct reading *reading, struct line_place *lines, size_t count, bool all,
                        struct lock *lock)
{
    lock->waiters_unknown = line_is_kazoo_lease(lines[0].name);
    lock->recipe = lock->waiters_unknown ? "kazoo leases" : line_recipe(lines, count);
    for (size_t i = 0; i < count && all; i++)
        if (add_place(reading, join(lock->path, lines[i].name), &lines[i], lock))
            lines[lock->count - 1] = lines[i];
    count = all ? lock->count : count;
    line_grant(lines, count);
    while (lock->holders < count && lines[lock->holders].holds)
        lock->holders++;
    lock->waiters = count - lock->holders;
    for (size_t i = 0; i < lock->count; i++)
        lock->places[i].line.holds = lines[i].holds;
    if (all)
        return;
    (void)add_first(reading, lines, lock->holders, lock);
    if (add_first(reading, lines + lock->holders, lock->waiters, lock))
        lock->since_ms = lock->places[lock->count - 1].stat.created_ms;
}

/* ------------------------------------------------------------------ the tree */

static void raise_none(struct reading *reading, const struct queued *queued, const char *why)
{
    struct error *error = reading->browser->error;
    ERROR_FIRST(error, error_raise(error, ERROR_NO_LOCK, 0, queued->path, "%s", why));
}

/* Adds a lock, whose path is copied. */
static void add_lock(struct survey *survey, const struct lock *lock, bool is_asked_for)
{
    survey->is_lock = is_asked_for;
    survey->locks = memory_grow(survey->locks, survey->count, sizeof *survey->locks);
    survey->locks[survey->count] = *lock;
    survey->locks[survey->count++].path = memory_text(lock->path);
}

/* A znode without children: a lock of one znode, or maybe a free queue; a numbered one is a place,
 * or a task. */
static void visit_childless(struct reading *reading, const struct queued *queued)
{
    static const struct line_place alone = {.role = LINE_ALONE, .holds = true};
    struct survey *survey = reading->survey;
    const bool is_asked_for = queued->depth == 0;
    struct browser_stat stat;
    struct lock lock = {.path = queued->path, .recipe = "queue"};
    int32_t sequence;
    char *folder = memory_copy(queued->path, (size_t)(strrchr(queued->path, '/') - queued->path));
    const bool is_place =
        queue_sequence(queued->path, &sequence) && !queued->is_named &&
        !(is_asked_for && is_id(reading, folder[0] != '\0' ? folder : "/", sequence));
    free(folder);
    if (is_place) {
        if (is_asked_for)
            raise_none(reading, queued,
                       "this znode is one place in a queue; its folder is the lock");
        return;
    }
    bool there = browser_exists(reading->browser, queued->path, &stat);
    if (there && stat.owner != 0) {
        lock.recipe = "one znode";
        lock.by_name = lock.waiters_unknown = true;
        lock.holders = 1;
        there = add_place(reading, memory_text(queued->path), &alone, &lock);
    }
    if (there && (is_asked_for || lock.by_name)) {
        add_lock(survey, &lock, is_asked_for);
    } else if (there) {
        survey->childless =
            memory_grow(survey->childless, survey->childless_count, sizeof *survey->childless);
        survey->childless[survey->childless_count++] = memory_text(queued->path);
    }
}

/* Queues a child, but for ZooKeeper's own znodes and the mark of a run of zkherd. */
static void queue_child(struct reading *reading, const struct queued *queued, const char *name,
                        bool is_named)
{
    assert(name != NULL); /* each place that was read has one */
    if ((strcmp(queued->path, "/") == 0 && strcmp(name, OWN_NAME) == 0) ||
        (strcmp(name, TARGET_ROOT_MARK) == 0 &&
         target_root_is_name(strrchr(queued->path, '/') + 1)))
        return;
    if (reading->count == SURVEY_ZNODES_MAX || queued->depth == SURVEY_DEPTH_MAX)
        reading->survey->is_cut = true;
    else
        reading->queue[reading->count++] =
            (struct queued){join(queued->path, name), queued->depth + 1, is_named};
}

/* Leaves out znodes that end in an id, and numbered ones of no session that are no places, such as
 * tasks, and queues them; returns how many places are left. *count: afterwards without ids. */
static size_t drop_tasks(struct reading *reading, const struct queued *queued,
                         struct line_place *lines, size_t *count)
{
    const char *of_session = NULL, *folder = queued->path;
    size_t numbered = 0, kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (is_id(reading, folder, lines[i].sequence))
            queue_child(reading, queued, lines[i].name, true);
        else
            lines[numbered++] = lines[i];
    for (size_t i = 0; i < numbered && of_session == NULL; i++)
        if ((queued->depth == 0 || i < LOOKS_MAX || i + 1 == numbered) &&
            is_of_session(reading, folder, lines[i].name))
            of_session = lines[i].name;
    for (size_t i = 0; i < numbered; i++)
        if (line_is_place(lines[i].name, of_session) ||
            (of_session != NULL && is_of_session(reading, folder, lines[i].name)))
            lines[kept++] = lines[i];
        else
            queue_child(reading, queued, lines[i].name, false);
    *count = numbered;
    return kept;
}

/* Adds the lock that the children are, and queues those that are none of its places. */
static void visit_folder(struct reading *reading, const struct queued *queued,
                         const char *const *names, size_t count)
{
    struct survey *survey = reading->survey;
    struct line_place *lines = memory_new(count, sizeof *lines);
    size_t places = read_names(names, count, lines);
    const bool are_leases = places > 0 && line_is_kazoo_lease(lines[0].name);
    size_t kept = drop_tasks(reading, queued, lines, &places);
    struct lock lock = {.path = queued->path, .others = count - kept};
    if (kept > 0) {
        read_places(reading, lines, kept, queued->depth == 0, &lock);
        add_lock(survey, &lock, queued->depth == 0);
    }
    survey->tasks += places > 0 && kept == 0 && !are_leases;
    for (size_t i = 0; i < count; i++)
        if (!is_place(names[i], are_leases))
            queue_child(reading, queued, names[i], false);
    free(lines);
}

static void visit(struct reading *reading, const struct queued *queued)
{
    struct error *error = reading->browser->error;
    const char **names;
    const bool is_asked_for = queued->depth == 0;
    size_t count;
    const bool there = browser_list(reading->browser, queued->path, &names, &count);
    if (error->kind == ERROR_FORBIDDEN && !is_asked_for) {
        reading->survey->unreadable++;
        error->kind = ERROR_NONE;
    }
    reading->survey->znodes += there;
    if (!there && is_asked_for)
        raise_none(reading, queued, "the znode does not exist");
    else if (count > 0)
        visit_folder(reading, queued, names, count);
    else if (there)
        visit_childless(reading, queued);
    free(names);
}

static int compare(const void *a, const void *b)
{
    const struct lock *one = a, *other = b;
    if (one->by_name != other->by_name)
        return one->by_name ? 1 : -1;
    if (one->waiters != other->waiters)
        return one->waiters < other->waiters ? 1 : -1;
    if (one->since_ms != other->since_ms)
        return one->since_ms > other->since_ms ? 1 : -1;
    return strcmp(one->path, other->path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void survey_read(struct browser *browser, const char *path, struct survey *survey)
{
    struct reading reading = {.browser = browser, .survey = survey};
    *survey = (struct survey){0};
    reading.queue = memory_new(SURVEY_ZNODES_MAX, sizeof *reading.queue);
    reading.queue[reading.count++] = (struct queued){memory_text(path), 0, false};
    for (size_t i = 0; i < reading.count && !survey->is_lock && browser->error->kind == ERROR_NONE;
         i++)
        visit(&reading, &reading.queue[i]);
    for (size_t i = 0; i < reading.count; i++)
        free(reading.queue[i].path);
    free(reading.queue);
    if (survey->count > 0)
        qsort(survey->locks, survey->count, sizeof *survey->locks, compare);
    if (survey->childless_count > 0)
        qsort(survey->childless, survey->childless_count, sizeof *survey->childless, compare_paths);
}

void survey_deinit(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        struct lock *lock = &survey->locks[i];
        for (size_t j = 0; j < lock->count; j++)
            free(lock->places[j].path);
        free(lock->places);
        free(lock->path);
    }
    for (size_t i = 0; i < survey->childless_count; i++)
        free(survey->childless[i]);
    free(survey->locks);
    free(survey->childless);
}
