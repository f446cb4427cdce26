// SPDX-License-Identifier: Apache-2.0
/*
 * browser: a session that reads znodes of other programs. Layer: bench/target.
 *
 * A call waits for its reply, ten seconds at most (ERROR_NO_ANSWER), while an event loop keeps the
 * session alive. After a lost connection a request is sent again on the next one, in a new session
 * if the servers have expired the old one.
 *
 * The first error stays: after it a call does nothing, and finds nothing. ERROR_FORBIDDEN where an
 * ACL forbids, which the caller may clear; ERROR_REFUSED_IDENTITY, ERROR_ZOOKEEPER, and the errors
 * of event_loop.h.
 *
 * Invariant: nothing is changed on the servers.
 */
#ifndef BENCH_TARGET_BROWSER_H
#define BENCH_TARGET_BROWSER_H

#include "base/error.h"
#include "client/connect.h"
#include "fleet/setup_session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct browser {
    struct error *error;           /* the caller's */
    struct connect_string servers; /* those that serve */
    struct setup_session *session; /* with them; NULL: none is open */
};

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

/* Resolves the servers, and opens a session with those that serve, chroot included. If none does:
 * the error of one of them, from tcp_resolve or target_identify; ERROR_READ_ONLY says the most.
 * ERROR_NO_CHROOT; ERROR_OTHER_ENSEMBLE if the servers differ in a child of the root. */
void browser_open(struct browser *browser, struct connect_string *servers);
void browser_close(struct browser *browser);

/* Whether the znode is there: its stat; its stat and its data; the names of its children, in no
 * order, which are the caller's, to free() with one call. What is not there is all zero. */
bool browser_exists(struct browser *browser, const char *path, struct browser_stat *stat);
bool browser_read(struct browser *browser, const char *path, struct browser_stat *stat,
                  struct browser_data *data);
bool browser_list(struct browser *browser, const char *path, const char ***names, size_t *count);

#endif
