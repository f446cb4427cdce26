// SPDX-License-Identifier: Apache-2.0
/*
 * sight: who holds a lock and who waits for it, as its znodes show it at one moment. Layer:
 * bench/inspect.
 *
 * A lock is a folder whose children end in sequence numbers and are ephemeral (recipes/line.h); or
 * a semaphore, whose leases and line are two folders; or one ephemeral znode, whose owner holds.
 * Who waits for the latter leaves a watch and no znode: it is not told here. (The four-letter word
 * wchp would tell; it holds a server up while it lists all its watches, and is hardly ever
 * allowed.) A znode without children may be a queue that is free, even if it has data (a soft
 * lock's say that its task is done), or anything else.
 *
 * The znodes are asked for one after another, and what has gone meanwhile is left out. So it was
 * as it is told at some moment of the reading, but for those who came during it.
 */
#ifndef BENCH_INSPECT_SIGHT_H
#define BENCH_INSPECT_SIGHT_H

#include "base/error.h"
#include "bench/target/browser.h"
#include "recipes/line.h"

#include <stdbool.h>
#include <stddef.h>

enum sight_kind {
    SIGHT_QUEUE,
    SIGHT_SEMAPHORE,
    SIGHT_ZNODE,
    SIGHT_FREE, /* it was the one znode, and is gone: the lock is free */
    SIGHT_GONE, /* there is no such folder any more */
};

/* What is known of a place. */
struct sight_entry {
    struct browser_stat stat; /* its owner is 0 if its znode is not ephemeral */
    struct browser_data data;
    const char *below; /* its folder, behind the lock's path: "", or a part of a semaphore */
    int64_t held_ms; /* since when it holds, as far as is known, like created_ms; else 0: where its
                        znode is created by the grant, and where an earlier sight saw it wait */
};

struct sight {
    enum sight_kind kind;
    int64_t created_ms; /* the lock's own znode: one that is made anew counts its children anew */
    struct line_place *places;   /* in order */
    struct sight_entry *entries; /* of each */
    size_t count;
    size_t holders;      /* the first so many places */
    bool pending;        /* of a semaphore: the next has created its lease, and waits for others to
                            be given back: it is in line, too */
    uint64_t leases_max; /* of a semaphore of kazoo; 0: not known */
    bool is_lock;        /* somebody is in line, or was when this or an earlier sight was taken */
    char *names;         /* what the places point to */
};

/*
 * Looks at the lock. With WATCH the browser has news when anything of it changes. `before` is what
 * was seen of it last, or NULL: znodes that are known from there are not asked for again, and a
 * lock that has been one may be gone. ERROR_NO_LOCK, with the reason; those of browser.h. On
 * success *sight is the caller's to sight_deinit.
 */
MUST_CHECK enum error_kind sight_take(struct browser *browser, const char *path,
                                      enum watch_flag watch, const struct sight *before,
                                      struct sight *sight, struct error *error);

/* One that is all zero is fine. */
void sight_deinit(struct sight *sight);

/* Whether both show the same znodes of the same sessions. */
bool sight_equal(const struct sight *one, const struct sight *other);

/* How many wait. */
size_t sight_waiters(const struct sight *sight);

/* The path of a place's znode: to be freed; NULL if there is no memory. */
char *sight_znode(const struct sight *sight, const char *path, size_t place);

#endif
