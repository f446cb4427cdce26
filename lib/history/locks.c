// SPDX-License-Identifier: Apache-2.0
#include "history/locks.h"

#include "base/id_tree.h"
#include "base/memory.h"
#include "recipes/line.h"
#include "recipes/queue.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct locks_session {
    int64_t id;                    /* the key */
    uint32_t number;               /* from 1 */
    size_t waits;                  /* how often it is among the waiting of a lock */
    LIST_HEAD(, locks_place) made; /* its places, the newest first, in a queue the last */
};

/* A session that waits for a znode of another one. */
struct locks_waiting {
    struct locks_session *session;
    uint64_t arrived_ns;
};

/* A znode that holds a lock or waits for one. */
struct locks_place {
    char *path; /* the key */
    struct locks_lock *lock;
    struct locks_session *session;
    LIST_ENTRY(locks_place) made; /* by the same session */
    struct line_place line;       /* its name points into the path */
    uint64_t arrived_ns, granted_ns;
};

struct locks {
    locks_closed *closed;
    void *context;
    /* By path, which may be a lock by name first, and a queue's folder then. */
    path_tree queues, names;
    path_tree places;
    id_tree by_session;
    struct locks_lock **list;
    size_t count;
    uint32_t sessions;
    size_t holders, present; /* of all locks: that hold; that hold or wait */
};

/* A new one has the next number; that of no session is 0. */
static struct locks_session *session_of(struct locks *locks, int64_t id)
{
    struct locks_session *session = id_tree_find_or_add(&locks->by_session, id, sizeof *session);
    if (session->number == 0 && id != 0)
        session->number = ++locks->sessions;
    return session;
}

/* The folder of a znode, to free(). */
static char *folder_of(const char *path)
{
    const size_t length = (size_t)(strrchr(path, '/') - path);
    return memory_copy(path, length > 0 ? length : 1);
}

/* The lock that a place belongs to, made if there is none: its folder, or itself. */
static struct locks_lock *lock_of(struct locks *locks, const char *path, bool sequential,
                                  uint64_t at_ns)
{
    bool is_place = sequential || line_is_kazoo_lease(strrchr(path, '/') + 1);
    char *key = is_place ? folder_of(path) : memory_text(path);
    struct locks_lock *lock =
        path_tree_find_or_add(is_place ? &locks->queues : &locks->names, key, sizeof *lock);
    free(key);
    if (lock->all != NULL)
        return lock;
    lock->all = locks;
    lock->by_name = !is_place;
    lock->recipe = sequential ? NULL : is_place ? "kazoo leases" : "one znode";
    lock->index = (uint32_t)locks->count;
    lock->row.released_ns = at_ns;
    locks->list = memory_grow(locks->list, locks->count, sizeof(void *));
    locks->list[locks->count++] = lock;
    return lock;
}

/* ------------------------------------------------------------------ turns and rows */

size_t locks_waiters(const struct locks_lock *lock)
{
    return lock->place_count + lock->waiting_count - lock->holders;
}

/* The first place in the order of the queue holds, and behind it all that share with it.
 * Who was taken for a holder did not hold if a place before it is seen later, as by a relay. */
static void give_turns(struct locks_lock *lock, uint64_t at_ns)
{
    struct locks_row *row = &lock->row;
    size_t held = lock->holders; /* of the places from the present one on */
    bool joins = true;
    for (size_t i = 0; i < lock->place_count && (joins || held > 0); i++) {
        struct locks_place *place = lock->places[i];
        joins = joins && line_joins(&place->line, i, &lock->places[0]->line);
        held -= place->line.holds;
        if (joins && !place->line.holds) {
            lock->holders++;
            lock->all->holders++;
            place->granted_ns = at_ns;
            if (row->granted++ == 0)
                row->holder = place->session->number;
        } else if (!joins && place->line.holds) {
            lock->holders--;
            lock->all->holders--;
            row->granted--;
            row->holder = lock->places[0]->session->number;
            row->held_ns = lock->places[0]->granted_ns;
        }
        place->line.holds = joins;
    }
    if (lock->holders > 0 && row->held_ns == 0)
        row->held_ns = at_ns;
}

/* holder: the place that held to the end of the row; NULL: none did. */
static void close_row(struct locks_lock *lock, const struct locks_place *holder, uint64_t at_ns)
{
    struct locks_row *row = &lock->row;
    row->closed_ns = at_ns;
    row->held = holder != NULL;
    if (row->held) {
        row->session = holder->session->id;
        row->arrived_ns = holder->arrived_ns;
        row->granted_ns = holder->granted_ns;
    }
    if (lock->all->closed != NULL)
        lock->all->closed(lock->all->context, lock, row);
    *row = (struct locks_row){
        .handoff = row->handoff + 1, .released_ns = at_ns, .waiters = locks_waiters(lock)};
}

/* ------------------------------------------------------------------ places */

/* Inserts a place behind those with lower numbers: nearly all are the last. */
static void insert(struct locks_lock *lock, struct locks_place *place)
{
    size_t rank = lock->place_count;
    lock->places = memory_grow(lock->places, rank, sizeof(void *));
    while (rank > 0 && queue_before(place->line.sequence, lock->places[rank - 1]->line.sequence))
        rank--;
    struct locks_place **at = lock->places + rank;
    memmove(at + 1, at, (lock->place_count++ - rank) * sizeof(void *));
    *at = place;
    lock->all->present++;
}

/* Adds a place to those of its session: a snapshot has the places of a queue in any order. */
static void add_made(struct locks_session *session, struct locks_place *place)
{
    struct locks_place *after = NULL, *made;
    LIST_FOREACH(made, &session->made, made)
    {
        if (made->lock != place->lock || !queue_before(place->line.sequence, made->line.sequence))
            break;
        after = made;
    }
    if (after != NULL)
        LIST_INSERT_AFTER(after, place, made);
    else
        LIST_INSERT_HEAD(&session->made, place, made);
}

/* Fills a place that is new. */
static void make_place(struct locks_lock *lock, struct locks_session *session,
                       struct locks_place *place, uint64_t arrived_ns)
{
    const char *name = strrchr(place->path, '/') + 1;
    if (line_read(&name, 1, &place->line) == 0)
        place->line.role = LINE_LEASES; /* or the only place */
    place->line.holds = false;
    place->lock = lock;
    place->session = session;
    place->arrived_ns = arrived_ns;
    add_made(session, place);
    /* kazoo's writers have the names of its lock. */
    if (lock->recipe == NULL || place->line.role == LINE_READS)
        lock->recipe = line_recipe(&place->line, 1);
    insert(lock, place);
}

/* Removes a place, nearly always the first. */
static void remove_place(struct locks *locks, struct locks_place *place)
{
    struct locks_lock *lock = place->lock;
    struct locks_place **at = lock->places;
    bool held = place->line.holds;
    while (*at != place)
        at++;
    lock->place_count--;
    memmove(at, at + 1, (size_t)(lock->places + lock->place_count - at) * sizeof(void *));
    locks->present--;
    lock->holders -= held;
    locks->holders -= held;
    LIST_REMOVE(place, made);
    path_tree_remove(&locks->places, place);
}

static void end_place(struct locks *locks, struct locks_place *place, uint64_t at_ns)
{
    struct locks_lock *lock = place->lock;
    if (place->line.holds)
        close_row(lock, place, at_ns);
    remove_place(locks, place);
    give_turns(lock, at_ns);
}

/* ------------------------------------------------------------------ sessions without a place */

/* The index of a session among those that wait; waiting_count: it does not. */
static size_t find_waiting(const struct locks_lock *lock, const struct locks_session *session)
{
    size_t i = 0;
    while (i < lock->waiting_count && lock->waiting[i].session != session)
        i++;
    return i;
}

/* Returns when the session has arrived; `now_ns` if it did not wait. */
static uint64_t stop_waiting(struct locks_lock *lock, struct locks_session *session,
                             uint64_t now_ns)
{
    size_t i = find_waiting(lock, session);
    if (i == lock->waiting_count)
        return now_ns;
    uint64_t arrived_ns = lock->waiting[i].arrived_ns;
    lock->waiting[i] = lock->waiting[--lock->waiting_count];
    lock->all->present--;
    session->waits--;
    return arrived_ns;
}

/* ------------------------------------------------------------------ what is fed */

void locks_create(struct locks *locks, int64_t id, const char *path, bool sequential,
                  uint64_t at_ns)
{
    struct locks_lock *lock = lock_of(locks, path, sequential, at_ns);
    struct locks_session *session = session_of(locks, id);
    struct locks_place *place = path_tree_find_or_add(&locks->places, path, sizeof *place);
    if (place->lock != NULL) { /* its end was not seen */
        end_place(locks, place, at_ns);
        place = path_tree_find_or_add(&locks->places, path, sizeof *place);
    }
    make_place(lock, session, place, stop_waiting(lock, session, at_ns));
    give_turns(lock, at_ns);
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    const uint32_t next = sequential ? (uint32_t)place->line.sequence + 1 : 0;
    if (next > lock->next_number || lock->is_deleted)
        lock->next_number = next;
    lock->is_deleted = false;
}

const struct locks_lock *locks_refuse(struct locks *locks, int64_t id, const char *path,
                                      uint64_t at_ns)
{
    struct locks_lock *lock = lock_of(locks, path, false, at_ns);
    struct locks_session *session = session_of(locks, id);
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    tally_add(&lock->row.tally, TALLY_CREATE_FAILED, 1);
    if (find_waiting(lock, session) < lock->waiting_count)
        return lock;
    lock->waiting = memory_grow(lock->waiting, lock->waiting_count, sizeof *lock->waiting);
    lock->waiting[lock->waiting_count++] = (struct locks_waiting){session, at_ns};
    lock->all->present++;
    session->waits++;
    return lock;
}

void locks_begin(struct locks *locks, uint64_t at_ns)
{
    for (size_t i = 0; i < locks->count; i++) {
        struct locks_lock *lock = locks->list[i];
        if (lock->by_name || lock->holders == 0 || lock->places[0]->line.role == LINE_LEASES)
            continue;
        lock->row.held_ns = at_ns;
        for (size_t j = 0; j < lock->holders; j++)
            lock->places[j]->granted_ns = 0;
    }
}

/* The lock of a znode that is no place: itself, or that of its folder, but not of a queue's folder;
 * NULL: there is none. */
static struct locks_lock *find_lock(const struct locks *locks, const char *path)
{
    struct locks_lock *lock = path_tree_find(&locks->names, path);
    if (strchr(path, '/') == NULL || path_tree_find(&locks->queues, path) != NULL)
        return NULL;
    if (lock != NULL)
        return lock;
    char *folder = folder_of(path);
    lock = path_tree_find(&locks->queues, folder);
    free(folder);
    return lock;
}

void locks_delete(struct locks *locks, const char *path, uint64_t at_ns)
{
    struct locks_place *place = path_tree_find(&locks->places, path);
    struct locks_lock *lock = place != NULL ? place->lock : find_lock(locks, path),
                      *queue = path_tree_find(&locks->queues, path);
    if (queue != NULL)
        queue->is_deleted = true;
    if (place != NULL)
        end_place(locks, place, at_ns);
    if (lock != NULL)
        tally_add(&lock->row.tally, TALLY_DELETE, 1);
}

void locks_close(struct locks *locks, int64_t id, uint64_t at_ns)
{
    struct locks_session *session = id_tree_find(&locks->by_session, id);
    if (session == NULL)
        return;
    for (size_t i = 0; session->waits > 0; i++)
        (void)stop_waiting(locks->list[i], session, at_ns);
    /* The newest first: what waits behind another place of the same session has no turn. */
    while (!LIST_EMPTY(&session->made))
        end_place(locks, LIST_FIRST(&session->made), at_ns);
    id_tree_remove(&locks->by_session, session);
    free(session);
}

void locks_forget(struct locks *locks, uint64_t at_ns)
{
    for (size_t i = 0; i < locks->count; i++) {
        struct locks_lock *lock = locks->list[i];
        if (lock->holders > 0) {
            close_row(lock, lock->places[0], at_ns);
            lock->row.waiters = 0;
        }
        while (lock->place_count > 0)
            remove_place(locks, lock->places[0]);
        while (lock->waiting_count > 0)
            (void)stop_waiting(lock, lock->waiting[0].session, at_ns);
    }
}

bool locks_holds(struct locks *locks, int64_t session)
{
    const struct locks_place *place;
    LIST_FOREACH(place, &session_of(locks, session)->made, made)
    if (place->line.holds)
        return true;
    return false;
}

size_t locks_places(const struct locks *locks, int64_t id, const char *path)
{
    const struct locks_session *session = id_tree_find(&locks->by_session, id);
    const struct locks_place *place = session != NULL ? LIST_FIRST(&session->made) : NULL;
    size_t count = 0;
    for (; place != NULL; place = LIST_NEXT(place, made))
        count += path == NULL || strcmp(place->path, path) == 0;
    return count;
}

struct locks *locks_new(locks_closed *closed, void *context)
{
    struct locks *locks = memory_new(1, sizeof *locks);
    locks->closed = closed;
    locks->context = context;
    return locks;
}

void locks_end(struct locks *locks, uint64_t at_ns)
{
    for (size_t i = 0; i < locks->count; i++) {
        struct locks_lock *lock = locks->list[i];
        close_row(lock, lock->holders > 0 ? lock->places[0] : NULL, at_ns);
    }
}

const struct locks_lock *locks_at(const struct locks *locks, size_t index)
{
    return index < locks->count ? locks->list[index] : NULL;
}

void locks_count(const struct locks *locks, size_t *holders, size_t *waiters)
{
    *holders = locks->holders;
    *waiters = locks->present - locks->holders;
}

void locks_free(struct locks *locks)
{
    if (locks == NULL)
        return;
    for (size_t i = 0; i < locks->count; i++) {
        free(locks->list[i]->places);
        free(locks->list[i]->waiting);
    }
    tdestroy(locks->places, path_tree_free_element);
    tdestroy(locks->by_session, free);
    tdestroy(locks->queues, path_tree_free_element);
    tdestroy(locks->names, path_tree_free_element);
    free(locks->list);
    free(locks);
}
