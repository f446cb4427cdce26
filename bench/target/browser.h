// SPDX-License-Identifier: Apache-2.0
/*
 * browser: a session that looks at znodes of others. Layer: bench/target.
 *
 * Its calls wait for their replies, on an event loop that keeps the session alive meanwhile. A
 * question that a lost connection leaves unanswered is put again on the next one, in another
 * session if the servers have ended this one.
 *
 * A browser that was given a descriptor for interrupts follows: it waits for servers that are gone
 * as long as it takes. Without one, and until its session stands for the first time, no call takes
 * longer than ten seconds unless it says so: ERROR_NO_ANSWER. Every call may return
 * ERROR_INTERRUPTED as soon as that descriptor is readable, ERROR_FORBIDDEN where an ACL forbids,
 * ERROR_ZOOKEEPER, ERROR_NO_MEMORY, and those of event_loop.h.
 *
 * Invariant: but for browser_delete it changes nothing.
 */
#ifndef BENCH_TARGET_BROWSER_H
#define BENCH_TARGET_BROWSER_H

#include "base/error.h"
#include "client/client.h"
#include "client/connect.h"
#include "fleet/sync_session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct browser;

struct browser_stat {
    int64_t owner;      /* an ephemeral znode's session; of others 0 */
    int64_t created_ms; /* by the servers' clock, since 1970 */
    int32_t version;
};

/* Resolves the servers, and puts those that answer into *reached: one that is down does not hide
 * what the others have. If none does, the first one's error: those of tcp_resolve and
 * four_letter_identify. */
MUST_CHECK enum error_kind browser_reach(struct connect_string *servers,
                                         struct connect_string *reached, struct error *error);

/* Opens a session with the servers (chroot included). purpose: the subject of ERROR_INTERRUPTED, a
 * static text. interrupts: -1, or a descriptor that becomes
 * readable when all is to end; it must outlive the browser. *browser is the caller's. */
MUST_CHECK enum error_kind browser_new(const char *purpose, const struct connect_string *servers,
                                       int interrupts, struct browser **browser,
                                       struct error *error);

/* Ends the session. NULL is fine. */
void browser_free(struct browser *browser);

/* ERROR_NO_CHROOT if the chroot of these servers, which are the browser's, is not there: without it
 * no path below it is, either. */
MUST_CHECK enum error_kind browser_check_chroot(struct browser *browser,
                                                const struct connect_string *servers,
                                                struct error *error);

/* Whether a znode is there, and if so what it is. A watch also tells when it comes to be. */
MUST_CHECK enum error_kind browser_look(struct browser *browser, const char *path,
                                        enum watch_flag watch, bool *there,
                                        struct browser_stat *stat, struct error *error);

/* What a znode holds: as much as is kept of it, followed by a NUL. */
struct browser_data {
    bool known; /* its ACL lets it be read */
    size_t length;
    char bytes[SYNC_SESSION_VALUE_MAX + 1];
};

/* The same without a watch, and its data. */
MUST_CHECK enum error_kind browser_read(struct browser *browser, const char *path, bool *there,
                                        struct browser_stat *stat, struct browser_data *data,
                                        struct error *error);

/* Whether a znode is there, and if so the names of its children, in no order: the browser's, until
 * its next list. */
MUST_CHECK enum error_kind browser_list(struct browser *browser, const char *path,
                                        enum watch_flag watch, bool *there,
                                        const char *const **names, size_t *count,
                                        struct error *error);

/* The names of the last list, which become the caller's to free(), all at once. */
const char **browser_take_names(struct browser *browser);

/* Deletes a znode whose data have this version. *deleted is false if there is no such znode.
 * ERROR_NO_ANSWER if the reply was lost: then it is not known. */
MUST_CHECK enum error_kind browser_delete(struct browser *browser, const char *path,
                                          int32_t version, bool *deleted, struct error *error);

enum browser_news {
    BROWSER_CHANGED, /* a watch has fired, or what has changed was not to be heard */
    BROWSER_LOST,    /* the connection is lost; when there is one again, BROWSER_CHANGED follows */
};

/* Waits for something to happen, for as long as it takes. */
MUST_CHECK enum error_kind browser_await(struct browser *browser, enum browser_news *news,
                                         struct error *error);

/* Waits, for as long as it takes, until this descriptor is readable. */
MUST_CHECK enum error_kind browser_await_input(struct browser *browser, int descriptor,
                                               struct error *error);

#endif
