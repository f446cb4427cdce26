// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy. */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/clock.h"
#include "base/id_tree.h"
#include "bench/cli/options.h"
#include "history/census.h"
#include "history/locks.h"
#include "journal/journal.h"
#include "measure/csv.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdio.h>

/* ------------------------------------------------------------------ the tables */

#define AUTOPSY_LOCK_COLUMNS(X, T)                                                                 \
    X(T, lock, COUNT, "", 0, KEY, "its number, as in `handoffs.csv`")                              \
    X(T, path, TEXT, "", 0, NONE, "the queue's folder, or the znode that is the lock")             \
    X(T, recipe, TEXT, "", 0, NONE, "as `zkherd inspect` calls it, from the names of the znodes")  \
    X(T, grants, COUNT, "", 0, NONE, "how often a session was granted it")                         \
    X(T, handoffs, COUNT, "", 0, NONE, "releases with waiters")                                    \
    X(T, waiters_max, COUNT, "", 0, NONE, "most waiters at a release, or at the end")              \
    X(T, refused, COUNT, "", 0, NONE, "creates that failed because the lock was held")             \
    X(T, expired, COUNT, "", 0, NONE, "holders whose sessions expired")                            \
    X(T, held_s, REAL, "s", 3, NONE, "time for which it was held, in all")                         \
    X(T, held_max_s, REAL, "s", 3, NONE, "longest of these times")                                 \
    X(T, waited_max_s, REAL, "s", 3, NONE, "longest time from an arrival to its grant")            \
    X(T, held_max_session, TEXT, "", 0, NONE,                                                      \
      "the session that held it longest; empty if it was a znode of no session")                   \
    X(T, held_max_begin_ms, SIGNED, "ms", 0, NONE, "when that hold began")                         \
    X(T, waiting, COUNT, "", 0, NONE, "sessions that waited at the end")                           \
    X(T, stood_still, FLAG, "", 0, NONE,                                                           \
      "sessions waited at the end, and its holder had it for 1 s and longer than twice any "       \
      "before")                                                                                    \
    X(T, rank, REAL, "", 0, PRIVATE, "the order on the screen: the highest first")
TABLE_DECLARE(autopsy_lock, AUTOPSY_LOCK_COLUMNS);

#define AUTOPSY_HOLD_COLUMNS(X, T)                                                                 \
    X(T, lock, COUNT, "", 0, KEY, "the lock, as in `locks.csv`")                                   \
    X(T, handoff, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, session, TEXT, "", 0, NONE,                                                               \
      "the holder, of several the first; empty: a znode of no session")                            \
    X(T, arrived_ms, SIGNED, "ms", 0, NONE, "when its create was refused first, or done")          \
    X(T, granted_ms, SIGNED, "ms", 0, NONE, "when its turn came")                                  \
    X(T, released_ms, SIGNED, "ms", 0, NONE, "when its znode, or one that shares, was deleted")    \
    X(T, end, TEXT, "", 0, NONE,                                                                   \
      "`deleted`, `closed` by the session's close, `expired`, `undecided` between these two, "     \
      "`gap`: it is not in the logs, or `open`: it still held at the end")
TABLE_DECLARE(autopsy_hold, AUTOPSY_HOLD_COLUMNS);

#define AUTOPSY_EXPIRY_COLUMNS(X, T)                                                               \
    X(T, session, TEXT, "", 0, KEY, "the session")                                                 \
    X(T, expired_ms, SIGNED, "ms", 0, NONE, "when its servers ended it")                           \
    X(T, timeout_ms, COUNT, "ms", 0, NONE,                                                         \
      "its timeout: at least so long its znodes outlived its last sign of life")                   \
    X(T, silent_ms, COUNT, "ms", 0, NONE, "since its last transaction; empty if not known")        \
    X(T, ephemerals, COUNT, "", 0, NONE,                                                           \
      "znodes that were deleted with it; empty if the log does not list them")                     \
    X(T, held, COUNT, "", 0, NONE, "locks that it held")                                           \
    X(T, lock, COUNT, "", 0, NONE, "the first of them")                                            \
    X(T, waiters, COUNT, "", 0, NONE, "who waited for that one")                                   \
    X(T, path, TEXT, "", 0, NONE, "the path of that lock")                                         \
    X(T, end, TEXT, "", 0, NONE,                                                                   \
      "`expired`, or `undecided`: it may have closed itself, by a request of number 0")
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
    X(T, lock, COUNT, "", 0, NONE, "the first lock for which a session was refused, if any")       \
    X(T, path, TEXT, "", 0, NONE, "the path of that lock")
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

/* ------------------------------------------------------------------ the first reading (overview.c)
 *
 * How much there is, how far the clocks can be trusted, and which znodes are locks. */

/* A session that is open. */
struct autopsy_client {
    int64_t id; /* the key */
    int32_t timeout_ms;
    int64_t seen_ms, seen_zxid; /* its last transaction; 0: none yet */
    uint64_t herd;              /* in which it had an error last */
    uint64_t herd_errors;       /* in that one */
    bool wants_other;           /* than a lock: it was refused while none was held */
};

struct autopsy_client *autopsy_client_of(id_tree *clients, int64_t id);
void autopsy_client_forget(id_tree *clients, struct autopsy_client *client);

/* Steps of the clock to an earlier time. */
struct autopsy_clock {
    uint64_t steps;
    int64_t most_ms;   /* the largest */
    int64_t most_zxid; /* of the transaction behind it */
    bool at_epoch;     /* where another leader began */
};

struct overview {
    uint64_t transactions;
    int64_t first_zxid, last_zxid;
    int64_t first_ms;          /* of the first transaction */
    int64_t least_ms, last_ms; /* the earliest and the latest time */
    struct autopsy_clock clock;
    uint64_t zero_closes; /* sessions that closed themselves by a request of number 0 */
    struct census *census;
    id_tree clients;
    int64_t now_ms;
    int64_t begun_zxid, begun_ms; /* of the first transaction, or of that behind the last gap */
};

/* Notes a transaction of a session, but for its end. */
void autopsy_client_see(id_tree *clients, const struct journal_transaction *transaction);

enum session_end { SESSION_CLOSED, SESSION_EXPIRED, SESSION_UNDECIDED };

/* How a session ended. A client may give its close the number 0, as servers do when they expire it;
 * and reads and pings are in no log. begun_ms: since when the log tells. *silent_ms: since its last
 * transaction; -1: not known. */
enum session_end autopsy_session_end(const struct autopsy_client *client,
                                     const struct journal_transaction *close,
                                     const struct overview *overview, int64_t begun_ms,
                                     int64_t *silent_ms);

/* Functions of a listener (journal/journal.h) whose context begins with a struct overview. */
void overview_begin(void *context, int64_t zxid, int64_t snapshot);
void overview_session(void *context, int64_t id, int32_t timeout_ms);
void overview_znode(void *context, const struct journal_znode *znode);
void overview_transaction(void *context, const struct journal_transaction *transaction);
void overview_deinit(struct overview *overview);

/* A create in the form of the census; *path is the caller's to free. */
struct census_create autopsy_create(const struct journal_transaction *transaction,
                                    const struct journal_change *change, char **path);
struct census_create autopsy_create_znode(const struct journal_znode *znode, char **path);

/* ------------------------------------------------------------------ the findings (findings.c) */

/* The folders with the highest numbers, the highest first. */
#define AUTOPSY_SEQUENCES 5
struct autopsy_sequence {
    char *folder; /* NULL: none */
    uint32_t next;
};

/* Sessions that began, that ended, and of these that expired, or did so or closed themselves; error
 * transactions, of these creates that a lock refused, and refused creates of no lock that is known;
 * ephemeral znodes of the snapshot whose session is not in it. */
#define AUTOPSY_COUNTS(X)                                                                          \
    X(sessions_opened)                                                                             \
    X(sessions_closed)                                                                             \
    X(sessions_expired)                                                                            \
    X(sessions_undecided)                                                                          \
    X(errors) X(refused) X(unattributed) X(orphans)

struct findings {
    struct overview overview; /* first, so that one context is of both readings */
    /* The caller's. */
    size_t logs;
    int64_t from_ms, until_ms;  /* what is before and behind is left out */
    const char *only;           /* the path of the only lock to tell of; NULL: all */
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
    uint64_t transactions; /* in the time that is asked for */
    /* The rest is for findings.c and periods.c. */
    struct table all_rows; /* of all locks, by their index */
    id_tree clients;
    struct autopsy_herd *herd;
    struct table_value *expiry; /* of the session that is being ended; NULL: it closed itself */
    const char *end;            /* of a hold that ends now */
    size_t early;               /* so many early znodes of the census are told */
    int64_t now_ms;
    int64_t begun_zxid, begun_ms; /* as in the overview */
    bool ended;                   /* now is behind until_ms */
};

/* The second reading, by a listener whose context begins with a struct findings. */
void findings_start(struct findings *findings);
void findings_begin(void *context, int64_t zxid, int64_t snapshot);
void findings_znode(void *context, const struct journal_znode *znode);
void findings_session(void *context, int64_t id, int32_t timeout_ms);
void findings_transaction(void *context, const struct journal_transaction *transaction);
void findings_end(struct findings *findings);
void findings_deinit(struct findings *findings);

/* Whether transactions may be missing. */
bool findings_lose(const struct findings *findings);

/* Whether the present time is asked for. */
bool findings_in_time(const struct findings *findings);

/* ------------------------------------------------------------------ periods and bursts (periods.c)
 */

/* Adds to a count of the present minute and of the present period; and the holders and waiters. */
void periods_count(struct findings *findings, enum autopsy_minute_column column, uint64_t more);
void periods_count_waiters(struct findings *findings);

/* An error transaction of a session; lock: that refused it, or NULL. */
void bursts_add(struct findings *findings, struct autopsy_client *client, int32_t code,
                const struct locks_lock *lock);
void bursts_end(struct findings *findings);

/* A session's number as a text of a table. */
struct table_value autopsy_session_text(int64_t id);

/* ------------------------------------------------------------------ the result (print.c) */

void autopsy_write(const struct findings *findings, FILE *stream);
json_t *autopsy_describe(const struct findings *findings, const char *folder);

#endif
