// SPDX-License-Identifier: Apache-2.0
/*
 * survey: the locks below a folder, ranked by how many wait. Layer: bench/inspect.
 *
 * It lists every znode down to a depth, and of a lock it looks at the holder and at the waiter that
 * has waited longest. An ephemeral znode without a sequence number may be a lock or a registration:
 * nothing tells, so it is not listed.
 *
 * Invariant: what was not looked at is said (complete is false).
 */
#ifndef BENCH_INSPECT_SURVEY_H
#define BENCH_INSPECT_SURVEY_H

#include "base/error.h"
#include "bench/target/browser.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SURVEY_DEPTH_MAX  10
#define SURVEY_ZNODES_MAX 10000

struct survey_lock {
    char *path;
    const char *recipe; /* a static text */
    size_t holders;     /* of a semaphore: leases, with the one that is pending */
    size_t waiters;
    bool found_holder; /* the first of them, as it was when it was looked at: */
    int64_t session;   /* 0: its znode is not ephemeral */
    struct browser_data data;
    int64_t oldest_ms; /* when the first waiter's znode was created, by the servers' clock; 0: no
                          waiter was found */
};

struct survey {
    struct survey_lock *locks;
    size_t count, capacity;
    size_t znodes; /* that were listed */
    bool complete;
};

/* On success *survey is the caller's to survey_deinit. Folders that the session may not list,
 * and semaphores with such a part, are left out, and complete is false. Errors of browser.h;
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind survey_take(struct browser *browser, const char *path,
                                       struct survey *survey, struct error *error);
void survey_deinit(struct survey *survey);

#endif
