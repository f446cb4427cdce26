// SPDX-License-Identifier: Apache-2.0
/*
 * remains: the root znodes of runs on servers, and which of them belong to runs that are dead.
 * Layer: bench/target.
 *
 * A run that lives has its mark (bench/target/target.h); the servers remove the mark when the
 * session of a killed run times out. A root of an older version of zkherd never had a mark: it is
 * judged by its age.
 *
 * Invariant: a root is dead only if everything in it has the name and the form that a run gives, no
 * mark is in it, and no session owns a znode in it.
 */
#ifndef BENCH_TARGET_REMAINS_H
#define BENCH_TARGET_REMAINS_H

#include "base/error.h"
#include "bench/target/browser.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long nothing may have been created in a root without a record before its run counts as dead.
 */
#define REMAINS_AGE_H 24

/* X(name, word) */
#define REMAINS_STATES(X)                                                                          \
    X(DEAD, "dead")       /* the run has ended and has left the root behind */                     \
    X(RUNNING, "running") /* the mark is there */                                                  \
    X(IN_USE, "in use")   /* no mark, but a session owns a znode in it */                          \
    X(RECENT, "unknown")  /* no record, and younger than REMAINS_AGE_H */                          \
    X(FOREIGN, "foreign") /* the root has a znode that no run makes */                             \
    X(GONE, "gone")       /* the root was removed meanwhile */

enum remains_state {
#define X(name, word) REMAINS_##name,
    REMAINS_STATES(X)
#undef X
};

struct remains {
    char path[TARGET_ROOT_PATH_SIZE];
    enum remains_state state;
    size_t znodes;      /* that were read, the root included */
    int64_t created_ms; /* of the newest znode, by the servers' clock */
    char about[96];     /* the process and the host; FOREIGN, IN_USE: the znode that decided. Any
                           bytes */
    bool removed;       /* by the user of the list: false when it is found, else left alone */
};

struct remains_list {
    struct remains *items; /* sorted by path, and so by time */
    size_t count;
};

/* Finds the roots below / and judges each. On success *list is the caller's to remains_deinit.
 * Errors of browser.h; ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind remains_find(struct browser *browser, struct remains_list *list,
                                        struct error *error);
void remains_deinit(struct remains_list *list);

/* Judges the root of this path anew. The same errors. */
MUST_CHECK enum error_kind remains_judge(struct browser *browser, struct remains *remains,
                                         struct error *error);

/* A word for a state. */
const char *remains_word(enum remains_state state);

#endif
