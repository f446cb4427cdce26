// SPDX-License-Identifier: Apache-2.0
/*
 * locks: which locks there were, who held each and when, out of the changes of znodes alone. Layer:
 * history.
 *
 * Fed with the changes in the order in which they happened: from a server's log of transactions, or
 * from the messages of clients. Locks are recognised by their znodes:
 *
 *   a queue   a folder with ephemeral children that have sequence numbers. Order, sharing and the
 *             name of the recipe are those of recipes/line.h. A child is a place in the queue.
 *   by name   a znode without a number: its owner holds the lock.
 *
 * Which znodes are locks the caller decides (history/census.h). A place may be of no session (0).
 *
 * Who holds follows from the znodes: the first place, or all readers in front, or all leases. A
 * release is the end of a holder's znode, whoever ends it. The rows of a lock are those of a
 * trial's ledger (trial/trial_memory.h): row 0 is open from the first arrival on, row i from
 * release i to release i + 1.
 *
 * Invariant: every place is held, or waits; each release closes exactly one row.
 */
#ifndef HISTORY_LOCKS_H
#define HISTORY_LOCKS_H

#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct locks;

/* From one release to the next. Times are on the caller's clock. */
struct locks_row {
    uint64_t handoff;     /* its number: 0 before the first release */
    uint64_t released_ns; /* the release that opened it; of row 0 the first arrival */
    uint64_t closed_ns;   /* the release that closed it; of a lock's last row locks_end */
    size_t waiters;       /* when it was opened */
    size_t granted;       /* places whose turn has come */
    uint32_t holder;      /* the session of the first of them: its number, + 1; 0: none */
    uint64_t held_ns;     /* since when it was held in the row; 0: it was not */
    bool held;            /* at its end; then the next three are of the place that was released, or
                             else of the first that held */
    int64_t session;      /* 0 of no session */
    uint64_t arrived_ns;  /* at the lock */
    uint64_t granted_ns;  /* when its turn came; 0: before locks_begin */
    struct tally tally;   /* creates, refused ones, and deletes */
};

struct locks_lock {
    char *path;         /* of the queue's folder, or of the znode */
    const char *recipe; /* a static text; NULL until a place is known */
    uint32_t index;     /* from 0 */
    bool by_name;
    size_t holders;       /* now */
    uint32_t next_number; /* of the queue's next place; 0: not known */
    bool is_deleted;      /* the queue's folder: one that is made again numbers anew */
    struct locks_row row; /* the open one */
    /* The rest is for locks.c. */
    struct locks *all;
    struct locks_place **places; /* in the order of the queue */
    size_t place_count;
    struct locks_waiting *waiting; /* sessions without a place, whose create was refused */
    size_t waiting_count;
};

/* closed: gets each row that is closed; may be NULL. */
typedef void locks_closed(void *context, const struct locks_lock *lock,
                          const struct locks_row *row);
struct locks *locks_new(locks_closed *closed, void *context);
void locks_free(struct locks *locks);

/* A session has created a znode (path: with its number), or was refused the one that is there,
 * without a number, for which it waits. */
void locks_create(struct locks *locks, int64_t session, const char *path, bool sequential,
                  uint64_t at_ns);
const struct locks_lock *locks_refuse(struct locks *locks, int64_t session, const char *path,
                                      uint64_t at_ns);

/* All places so far were there before the first change, at this time: since when those hold that
 * may have waited is not known. */
void locks_begin(struct locks *locks, uint64_t at_ns);

/* A znode of any kind is deleted. A session, and with it its ephemeral znodes, ends. */
void locks_delete(struct locks *locks, const char *path, uint64_t at_ns);
void locks_close(struct locks *locks, int64_t session, uint64_t at_ns);

/* All znodes and sessions are gone, at an unknown time: rows with a holder are closed. */
void locks_forget(struct locks *locks, uint64_t at_ns);

/* Places and sessions that wait; and at all locks together, with the places that hold. */
size_t locks_waiters(const struct locks_lock *lock);
void locks_count(const struct locks *locks, size_t *holders, size_t *waiters);

/* Whether a session holds one; its places: that at a path alone, or, NULL, all. */
bool locks_holds(struct locks *locks, int64_t session);
size_t locks_places(const struct locks *locks, int64_t session, const char *path);

/* Closes the rows that are open. Nothing may be fed afterwards. */
void locks_end(struct locks *locks, uint64_t at_ns);

/* Lock `index`, NULL behind the last. */
const struct locks_lock *locks_at(const struct locks *locks, size_t index);

#endif
