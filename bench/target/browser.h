// SPDX-License-Identifier: Apache-2.0
/*
 * browser: a session that reads znodes of other programs. Layer: bench/target.
 *
 * A call waits for its reply while an event loop keeps the session alive. After a lost connection a
 * request is sent again on the next one, in a new session if the servers have expired the old one.
 *
 * A call waits ten seconds at most: ERROR_NO_ANSWER. Every call may return ERROR_FORBIDDEN where an
 * ACL forbids, ERROR_REFUSED_IDENTITY, ERROR_ZOOKEEPER, and the errors of event_loop.h. *there:
 * whether the znode exists; without it nothing else is written.
 *
 * Invariant: nothing is changed on the servers.
 */
#ifndef BENCH_TARGET_BROWSER_H
#define BENCH_TARGET_BROWSER_H

#include "base/error.h"
#include "client/connect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct browser;

struct browser_stat {
    int64_t owner;          /* the session of an ephemeral znode; 0: not ephemeral, or with a TTL */
    int64_t created_ms;     /* by the servers' clock, since 1970 */
    uint32_t children_made; /* of it, modulo 2^31 */
};

/* The data of a znode, cut to BROWSER_DATA_MAX bytes, followed by a NUL. */
#define BROWSER_DATA_MAX 256
struct browser_data {
    bool known; /* false: the ACL forbids reading */
    size_t length;
    char bytes[BROWSER_DATA_MAX + 1];
};

/* Resolves the servers, and puts those that serve into *reached. If none does: the error of one
 * of them, from tcp_resolve or target_identify; ERROR_READ_ONLY says the most. */
MUST_CHECK enum error_kind browser_reach(struct connect_string *servers,
                                         struct connect_string *reached, struct error *error);

/* Opens a session with the servers, chroot included; *browser is the caller's, to browser_free,
 * which takes NULL, too. ERROR_NO_CHROOT; ERROR_OTHER_ENSEMBLE if the servers differ in a child of
 * the root. */
MUST_CHECK enum error_kind browser_new(const struct connect_string *servers,
                                       struct browser **browser, struct error *error);
void browser_free(struct browser *browser);

/* The stat of a znode; its stat and its data. */
MUST_CHECK enum error_kind browser_exists(struct browser *browser, const char *path, bool *there,
                                          struct browser_stat *stat, struct error *error);
MUST_CHECK enum error_kind browser_read(struct browser *browser, const char *path, bool *there,
                                        struct browser_stat *stat, struct browser_data *data,
                                        struct error *error);

/* The names of its children, in no order. They belong to the browser, until the next browser_list;
 * browser_own_names hands them over, to free() with one call. */
MUST_CHECK enum error_kind browser_list(struct browser *browser, const char *path, bool *there,
                                        const char *const **names, size_t *count,
                                        struct error *error);
const char **browser_own_names(struct browser *browser);

#endif
