// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy. */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/id_tree.h"
#include "bench/cli/options.h"
#include "history/locks.h"
#include "journal/journal.h"
#include "measure/csv.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdio.h>

/* ------------------------------------------------------------------ the census (census.c)
 *
 * The first reading: which ephemeral znodes are locks by name, and for which of them a session was
 * refused. A refused create is a transaction without a path. It is of the lock that the same
 * session creates next, or has created before; of a session that never creates any, of the only
 * lock by name that there is. A znode is a lock by name if a session creates it that was refused
 * since it was created first. */

struct census {
    void *names; /* a tree of tsearch */
    id_tree sessions;
    const char *only; /* the only lock by name; NULL: there is none, or there are several */
    size_t locks;
    uint64_t transactions;
    int64_t first_zxid, last_zxid, first_ms, last_ms;
    int64_t refused_zxid; /* of the last refused create */
};

/* Functions of a listener (journal/journal.h) whose context begins with a struct census. */
void census_znode(void *context, const struct journal_znode *znode);
void census_transaction(void *context, const struct journal_transaction *transaction);

/* Whether this ephemeral znode is a lock by name. */
bool census_is_lock(const struct census *census, const char *path);

/* The path of the lock for which a session was refused in a transaction; NULL: not known. */
const char *census_refused(const struct census *census, int64_t session, int64_t zxid);
void census_deinit(struct census *census);

/* Calls `change` with the transaction's change, or with each part of a multi that was done. */
void census_each_change(const struct journal_transaction *transaction, void *context,
                        void (*change)(void *context, const struct journal_transaction *transaction,
                                       const struct journal_change *change));

/* A path as a string, the caller's to free; "/" where a record has none. */
char *census_text(const struct jute_bytes *bytes);

/* The number that ZooKeeper has given to a znode that is created; false: it has none. */
bool census_sequence(const char *path, int32_t cversion, int32_t *sequence);

/* ------------------------------------------------------------------ the tables */

#define AUTOPSY_LOCK_COLUMNS(X, T)                                                                 \
    X(T, lock, COUNT, "", 0, KEY, "its number, as in `handoffs.csv`")                              \
    X(T, path, TEXT, "", 0, NONE, "the queue's folder, or the znode that is the lock")             \
    X(T, recipe, TEXT, "", 0, NONE, "as `zkherd inspect` calls it, from the names of the znodes")  \
    X(T, grants, COUNT, "", 0, NONE, "how often a session was granted it")                         \
    X(T, handoffs, COUNT, "", 0, NONE, "releases with waiters")                                    \
    X(T, waiters_max, COUNT, "", 0, NONE, "most waiters at a release")                             \
    X(T, refused, COUNT, "", 0, NONE, "creates that failed because the lock was held")             \
    X(T, expired, COUNT, "", 0, NONE, "holders whose sessions expired")                            \
    X(T, held_s, REAL, "s", 3, NONE, "time for which it was held, in all")                         \
    X(T, held_max_s, REAL, "s", 3, NONE, "longest of these times")                                 \
    X(T, waited_max_s, REAL, "s", 3, NONE, "longest time from an arrival to its grant")
TABLE_DECLARE(autopsy_lock, AUTOPSY_LOCK_COLUMNS);

#define AUTOPSY_HOLD_COLUMNS(X, T)                                                                 \
    X(T, lock, COUNT, "", 0, KEY, "the lock, as in `locks.csv`")                                   \
    X(T, handoff, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, session, TEXT, "", 0, NONE, "the holder; of several that share the lock, the first")      \
    X(T, arrived_ms, SIGNED, "ms", 0, NONE, "when its create was refused first, or done")          \
    X(T, granted_ms, SIGNED, "ms", 0, NONE, "when its turn came")                                  \
    X(T, released_ms, SIGNED, "ms", 0, NONE, "when its znode, or one that shares, was deleted")    \
    X(T, end, TEXT, "", 0, NONE,                                                                   \
      "`deleted`, `closed` by the session's close, `expired`, or `open`: it still held at the "    \
      "end of the log")
TABLE_DECLARE(autopsy_hold, AUTOPSY_HOLD_COLUMNS);

#define AUTOPSY_EXPIRY_COLUMNS(X, T)                                                               \
    X(T, session, TEXT, "", 0, KEY, "the session")                                                 \
    X(T, expired_ms, SIGNED, "ms", 0, NONE, "when its servers ended it")                           \
    X(T, timeout_ms, COUNT, "ms", 0, NONE,                                                         \
      "its timeout: at least so long its znodes outlived its last sign of life")                   \
    X(T, silent_ms, COUNT, "ms", 0, NONE, "since its last transaction")                            \
    X(T, ephemerals, COUNT, "", 0, NONE,                                                           \
      "znodes that were deleted with it; empty if the log does not list them")                     \
    X(T, held, COUNT, "", 0, NONE, "locks that it held")                                           \
    X(T, lock, COUNT, "", 0, NONE, "the first of them")                                            \
    X(T, waiters, COUNT, "", 0, NONE, "who waited for that one")
TABLE_DECLARE(autopsy_expiry, AUTOPSY_EXPIRY_COLUMNS);

#define AUTOPSY_HERD_COLUMNS(X, T)                                                                 \
    X(T, begin_ms, SIGNED, "ms", 0, NONE, "the first error transaction")                           \
    X(T, end_ms, SIGNED, "ms", 0, NONE, "the last one")                                            \
    X(T, errors, COUNT, "", 0, NONE, "error transactions, each within 100 ms of the one before")   \
    X(T, sessions, COUNT, "", 0, NONE, "sessions of which they are")                               \
    X(T, code, SIGNED, "", 0, NONE, "the most frequent error (KeeperException.Code)")              \
    X(T, error, TEXT, "", 0, NONE, "its name")                                                     \
    X(T, of_code, COUNT, "", 0, NONE, "how many have it")                                          \
    X(T, session, TEXT, "", 0, NONE, "the session with the most of them")                          \
    X(T, of_session, COUNT, "", 0, NONE, "how many it has")                                        \
    X(T, lock, COUNT, "", 0, NONE, "the first lock for which a session was refused, if any")
TABLE_DECLARE(autopsy_herd, AUTOPSY_HERD_COLUMNS);

/* The columns of minutes.csv and of periods.csv, which differ in the length of their rows. A period
 * without a transaction has no row. */
#define AUTOPSY_PERIOD_COLUMNS(X, T)                                                               \
    X(T, begin_ms, SIGNED, "ms", 0, KEY, "its beginning")                                          \
    X(T, seconds, REAL, "s", 1, NONE, "its length")                                                \
    X(T, transactions, COUNT, "", 0, SUM, "transactions")                                          \
    X(T, creates, COUNT, "", 0, SUM, "creates that were done")                                     \
    X(T, deletes, COUNT, "", 0, SUM, "deletes, without those at the end of a session")             \
    X(T, sets, COUNT, "", 0, SUM, "writes of data")                                                \
    X(T, errors, COUNT, "", 0, SUM, "error transactions")                                          \
    X(T, opened, COUNT, "", 0, SUM, "sessions that began")                                         \
    X(T, closed, COUNT, "", 0, SUM, "sessions that ended, by themselves or by expiry")             \
    X(T, expired, COUNT, "", 0, SUM, "sessions that expired")                                      \
    X(T, bytes, COUNT, "bytes", 0, SUM, "bytes of the transactions")                               \
    X(T, releases, COUNT, "", 0, SUM, "releases of locks")                                         \
    X(T, holders_max, COUNT, "", 0, NONE, "most holders at one time, at all locks together")       \
    X(T, waiters_max, COUNT, "", 0, NONE, "most waiters at one time, at all locks together")
TABLE_DECLARE(autopsy_minute, AUTOPSY_PERIOD_COLUMNS);
TABLE_DECLARE(autopsy_period, AUTOPSY_PERIOD_COLUMNS);

#define AUTOPSY_FLAW_COLUMNS(X, T)                                                                 \
    X(T, sentence, TEXT, "", 0, NONE, "what is wrong with a file")                                 \
    X(T, loses, FLAG, "", 0, NONE, "whether transactions may be missing because of it")
TABLE_DECLARE(autopsy_flaw, AUTOPSY_FLAW_COLUMNS);

/* ------------------------------------------------------------------ the findings (findings.c) */

/* The folders with the highest numbers, the highest first. */
#define AUTOPSY_SEQUENCES 5
struct autopsy_sequence {
    char *folder; /* NULL: none */
    uint32_t next;
};

/* Sessions that began, that ended, and of these that expired; error transactions, of these creates
 * that a lock refused, and refused creates of no lock that is known; ephemeral znodes of the
 * snapshot whose session is not in it. */
#define AUTOPSY_COUNTS(X)                                                                          \
    X(sessions_opened)                                                                             \
    X(sessions_closed)                                                                             \
    X(sessions_expired)                                                                            \
    X(errors) X(refused) X(unattributed) X(orphans)

struct findings {
    struct census census; /* first, so that one context is of both readings */
    /* The caller's. */
    size_t logs;
    struct table flaws;         /* of the first reading */
    const char *run;            /* of the rows of handoffs.csv */
    struct csv handoffs, holds; /* rows are written as locks are released */
    /* What is found. */
    struct locks *locks;
    struct table lock_rows, expiries, herds, minutes, periods;
    struct autopsy_sequence sequences[AUTOPSY_SEQUENCES];
    uint64_t period_ms;
#define X(name) uint64_t name;
    AUTOPSY_COUNTS(X)
#undef X
    /* The rest is for findings.c. */
    id_tree clients;
    struct autopsy_herd *herd;
    struct table_value *expiry; /* of the session that is being ended; NULL: none is */
    const char *end;            /* of a hold that ends now */
    int64_t now_ms;
};

/* The second reading, by a listener whose context begins with a struct findings. */
void findings_begin(struct findings *findings);
void findings_znode(void *context, const struct journal_znode *znode);
void findings_session(void *context, int64_t id, int32_t timeout_ms);
void findings_transaction(void *context, const struct journal_transaction *transaction);
void findings_end(struct findings *findings);

/* Whether transactions may be missing. */
bool findings_lose(const struct findings *findings);
void findings_deinit(struct findings *findings);

/* ------------------------------------------------------------------ the result (tell.c) */

void autopsy_write(const struct findings *findings, FILE *stream);
json_t *autopsy_describe(const struct findings *findings, const char *folder);

#endif
