// SPDX-License-Identifier: Apache-2.0
/*
 * lock_view: who holds a lock and who waits for it, as its znodes show it at one moment. Layer:
 * bench/inspect.
 *
 * A lock is a folder whose children end in sequence numbers and are ephemeral (recipes/line.h); or
 * a semaphore, whose leases and line are two folders; or one ephemeral znode, whose owner holds.
 * A client that waits for the one ephemeral znode leaves a watch and no znode, so a view does not
 * show it. (The four-letter word wchp lists watches, but stops a server meanwhile, and is hardly
 * ever allowed.) A znode without children may be a queue that is free, even if it has data (the
 * data of a soft lock say that its task is done), or anything else.
 *
 * The znodes are read one after another, and a znode that has gone meanwhile is left out. So a view
 * is the state of the lock at some moment of the reading, without the znodes created during the
 * reading.
 */
#ifndef BENCH_INSPECT_LOCK_VIEW_H
#define BENCH_INSPECT_LOCK_VIEW_H

#include "base/error.h"
#include "bench/target/browser.h"
#include "recipes/line.h"

#include <stdbool.h>
#include <stddef.h>

enum lock_view_kind {
    LOCK_VIEW_QUEUE,
    LOCK_VIEW_SEMAPHORE,
    LOCK_VIEW_ZNODE,
    LOCK_VIEW_FREE, /* the one znode is gone: the lock is free */
    LOCK_VIEW_GONE, /* the folder is gone */
};

/* The znode of a place. */
struct lock_view_entry {
    struct browser_stat stat; /* owner 0: not ephemeral */
    struct browser_data data;
    const char *below; /* its folder below the lock's path: "", or a part of a semaphore */
    int64_t held_ms;   /* the time of the grant, like created_ms; 0: unknown. Known if the grant
                          creates the znode, and if an earlier view saw the client wait */
};

struct lock_view {
    enum lock_view_kind kind;
    int64_t created_ms;        /* of the lock's own znode: a new one counts its children anew */
    struct line_place *places; /* in order */
    struct lock_view_entry *entries; /* of each place */
    size_t count;
    size_t holders;      /* so many of the first places hold */
    bool pending;        /* semaphore: the first waiter has created its lease, and waits for others
                            to be returned; it is in line, too */
    uint64_t leases_max; /* semaphore of kazoo; 0: unknown */
    bool is_lock;        /* a client is in line, or was in an earlier view */
    char *names;         /* the places point into this memory */
};

/*
 * Reads the lock. With WATCH the browser has news when the lock changes. `before` is the last view,
 * or NULL: znodes of that view are not read again, and a lock of that view may be gone.
 * ERROR_NO_LOCK, with the reason; errors of browser.h. On success *view is the caller's, to
 * lock_view_deinit.
 */
MUST_CHECK enum error_kind lock_view_take(struct browser *browser, const char *path,
                                          enum watch_flag watch, const struct lock_view *before,
                                          struct lock_view *view, struct error *error);

/* All zero bytes are fine. */
void lock_view_deinit(struct lock_view *view);

/* Whether both show the same znodes of the same sessions. */
bool lock_view_equal(const struct lock_view *one, const struct lock_view *other);

/* The number of waiters. */
size_t lock_view_waiters(const struct lock_view *view);

/* Reads the names of a semaphore's folder, leases or line, as line_read does a queue's: kazoo's
 * leases have no numbers. Returns the number of places. */
size_t lock_view_read_leases(const char *const *names, size_t count, struct line_place *places);

/* The path of the znode of a place, for the caller to free; NULL without memory. */
char *lock_view_znode(const struct lock_view *view, const char *path, size_t place);

#endif
