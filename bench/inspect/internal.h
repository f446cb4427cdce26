// SPDX-License-Identifier: Apache-2.0
/*
 * The view of one lock, the survey of the locks below a folder, and how both are shown. Layer:
 * bench/inspect.
 */
#ifndef BENCH_INSPECT_INTERNAL_H
#define BENCH_INSPECT_INTERNAL_H

#include "base/error.h"
#include "bench/target/browser.h"
#include "recipes/line.h"
#include "servers/connections.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ the view of a lock */

/*
 * Who holds a lock and who waits for it, as its znodes show it at one moment.
 *
 * A lock is a folder whose children end in sequence numbers and are ephemeral (recipes/line.h); or
 * one ephemeral znode, whose owner holds. A client that waits for the one ephemeral znode leaves a
 * watch and no znode, so a view does not show it. (The four-letter word wchp lists watches, but
 * stops a server meanwhile, and is hardly ever allowed.) A znode without children may be a queue
 * that is free, even if it has data (the data of a soft lock say that its task is done), or
 * anything else.
 *
 * The znodes are read one after another, and a znode that has gone meanwhile is left out. So a view
 * is the state of the lock at some moment of the reading, without the znodes created during the
 * reading.
 */
enum lock_view_kind {
    LOCK_VIEW_QUEUE,
    LOCK_VIEW_ZNODE,
};

/* The znode of a place. */
struct lock_view_entry {
    struct browser_stat stat; /* owner 0: not ephemeral */
    struct browser_data data;
};

struct lock_view {
    enum lock_view_kind kind;
    struct line_place *places;       /* in order */
    struct lock_view_entry *entries; /* of each place */
    size_t count;
    size_t holders; /* so many of the first places hold */
    bool is_lock;   /* a client is in line, or was when the children were listed */
    void *names;    /* the places point into this memory */
};

/* Reads the lock. ERROR_NO_LOCK, with the reason; errors of browser.h. On success *view is the
 * caller's, to lock_view_deinit. */
MUST_CHECK enum error_kind lock_view_take(struct browser *browser, const char *path,
                                          struct lock_view *view, struct error *error);

/* All zero bytes are fine. */
void lock_view_deinit(struct lock_view *view);

/* The number of waiters. */
size_t lock_view_waiters(const struct lock_view *view);

/* path/name, for the caller to free. */
char *lock_view_join(const char *path, const char *name);

/* The path of the znode of a place, for the caller to free. */
char *lock_view_znode(const struct lock_view *view, const char *path, size_t place);

/* ------------------------------------------------------------------ the survey of a folder */

#define SURVEY_DEPTH_MAX  10
#define SURVEY_ZNODES_MAX 10000

struct survey_lock {
    char *path;
    const char *recipe; /* a static text */
    size_t holders;
    size_t waiters;
    bool found_holder; /* session and data are those of the first holder */
    int64_t session;   /* 0: the znode is not ephemeral */
    struct browser_data data;
    int64_t
        oldest_ms; /* creation of the first waiter's znode, by the servers' clock; 0: no waiter */
};

/* The locks below a folder, sorted by their number of waiters. An ephemeral znode without a
 * sequence number may be a lock or a registration, and is left out. Invariant: if any znode was not
 * listed, `complete` is false. */
struct survey {
    struct survey_lock *locks;
    size_t count;
    char **childless; /* the paths of znodes without children, an owner and a sequence number: each
                         is a free queue or no lock; sorted */
    size_t childless_count;
    size_t znodes; /* listed */
    bool complete;
};

/* Lists every znode down to a depth, and reads the first holder and the first waiter of each lock.
 * On success *survey is the caller's to survey_deinit. Folders that the session may not list are
 * left out, and complete is false. Errors of browser.h. */
MUST_CHECK enum error_kind survey_take(struct browser *browser, const char *path,
                                       struct survey *survey, struct error *error);
void survey_deinit(struct survey *survey);

/* ------------------------------------------------------------------ what is shown */

/* Write to stdout, for a terminal as wide as it is: a summary line, a row for each place or lock,
 * and a line for each kind of value that is not known. */
void show_view(const char *path, const struct lock_view *view,
               const struct connections *connections);
void show_survey(const char *path, const struct survey *survey);

/* Write one JSON object to stdout, and the end of its last line. The keys are in docs/schema;
 * keys may be added, never renamed. ERROR_NO_MEMORY. */
void show_view_json(const char *path, const struct lock_view *view,
                    const struct connections *connections);
void show_survey_json(const char *path, const struct survey *survey);

#endif
