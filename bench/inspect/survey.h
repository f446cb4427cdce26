// SPDX-License-Identifier: Apache-2.0
/*
 * survey: the locks below a folder, sorted by their number of waiters. Layer: bench/inspect.
 *
 * A survey lists every znode down to a depth, and reads the first holder and the first waiter of
 * each lock. An ephemeral znode without a sequence number may be a lock or a registration, and is
 * left out.
 *
 * Invariant: if any znode was not listed, `complete` is false.
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
    size_t holders;     /* semaphore: leases, with the pending one */
    size_t waiters;
    bool found_holder; /* session and data are those of the first holder */
    int64_t session;   /* 0: the znode is not ephemeral */
    struct browser_data data;
    int64_t
        oldest_ms; /* creation of the first waiter's znode, by the servers' clock; 0: no waiter */
};

struct survey {
    struct survey_lock *locks;
    size_t count, capacity;
    size_t znodes; /* listed */
    bool complete;
};

/* On success *survey is the caller's to survey_deinit. Folders that the session may not list,
 * and semaphores with such a part, are left out, and complete is false. Errors of browser.h;
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind survey_take(struct browser *browser, const char *path,
                                       struct survey *survey, struct error *error);
void survey_deinit(struct survey *survey);

#endif
