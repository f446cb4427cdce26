// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy.
 *
 * All logs are read twice. The first reading finds how much there is, how far the clocks can be
 * trusted, and which znodes are locks; the second one who held them. Both make rows of tables:
 * files, screen and JSON are views of them.
 */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/clock.h"
#include "base/id_tree.h"
#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/output/file_set.h"
#include "bench/output/findings.h"
#include "history/census.h"
#include "journal/journal.h"
#include "measure/table.h"

/* ------------------------------------------------------------------ columns */

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
    X(T, held_max_session, TEXT, "", 0, NONE, "whose that hold was; empty: of no session")         \
    X(T, held_max_begin_ms, SIGNED, "ms", 0, NONE, "when that hold began; empty: before the logs") \
    X(T, waiting, COUNT, "", 0, NONE, "sessions that waited at the end")                           \
    X(T, stood_still, FLAG, "", 0, NONE,                                                           \
      "sessions waited at the end, and the last hold took 1 s and twice as long as any before")    \
    X(T, refused_inferred, COUNT, "", 0, NONE,                                                     \
      "of `refused` those beside which other ephemeral znodes were there: inferred")               \
    X(T, next_sequence, COUNT, "", 0, NONE, "the number of the next znode in the queue's folder")  \
    X(T, own, FLAG, "", 0, NONE, "it is below the root of a run of zkherd")                        \
    X(T, foreign, FLAG, "", 0, PRIVATE, "it is not zkherd's own")                                  \
    X(T, certain, FLAG, "", 0, PRIVATE, "it cannot be a registry with numbered members")
TABLE_DECLARE(autopsy_lock, AUTOPSY_LOCK_COLUMNS);

#define AUTOPSY_HOLD_COLUMNS(X, T)                                                                 \
    X(T, lock, COUNT, "", 0, KEY, "the lock, as in `locks.csv`")                                   \
    X(T, handoff, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, session, TEXT, "", 0, NONE, "the holder; empty: a znode of no session")                   \
    X(T, arrived_ms, SIGNED, "ms", 0, NONE, "when its create was refused first, or done")          \
    X(T, granted_ms, SIGNED, "ms", 0, NONE,                                                        \
      "when its turn came; empty: in a queue, before the logs")                                    \
    X(T, released_ms, SIGNED, "ms", 0, NONE, "when its znode was deleted")                         \
    X(T, end, TEXT, "", 0, NONE,                                                                   \
      "`deleted`, `closed` by the session's close, `expired`, `undecided` between these two, "     \
      "`gap`: it is not in the logs, or `open`: it, or the first of several, held at the end")
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

/* A period without a transaction has no row. */
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
    X(T, waiters_max, COUNT, "", 0, NONE, "most waiters at one time, at all locks together")       \
    X(T, undecided, COUNT, "", 0, PRIVATE, "sessions that expired or closed themselves")           \
    X(T, refused, COUNT, "", 0, PRIVATE, "creates that a lock refused")                            \
    X(T, own_refused, COUNT, "", 0, PRIVATE, "creates that a lock of zkherd itself refused")       \
    X(T, unattributed, COUNT, "", 0, PRIVATE, "refused creates of no lock that is known")
TABLE_DECLARE(autopsy_period, AUTOPSY_PERIOD_COLUMNS);

#define AUTOPSY_FLAW_COLUMNS(X, T)                                                                 \
    X(T, sentence, TEXT, "", 0, NONE, "what is wrong with a file")                                 \
    X(T, loses, FLAG, "", 0, NONE, "whether transactions may be missing because of it")
TABLE_DECLARE(autopsy_flaw, AUTOPSY_FLAW_COLUMNS);

#define AUTOPSY_DOUBT_COLUMNS(X, T)                                                                \
    X(T, path, TEXT, "", 0, KEY, "a znode, the only one that the sessions can have wanted")        \
    X(T, is_lock, FLAG, "", 0, NONE, "it is taken for a lock")                                     \
    X(T, refused, COUNT, "", 0, NONE, "creates that it may have refused")                          \
    X(T, sessions, COUNT, "", 0, NONE, "their sessions, of which none ever created it")
TABLE_DECLARE(autopsy_doubt, AUTOPSY_DOUBT_COLUMNS);

/* ------------------------------------------------------------------ an autopsy */

enum autopsy_rows { FLAWS, LOCKS, EXPIRIES, PERIODS, DOUBTS, FINDINGS, AUTOPSY_TABLES };

struct autopsy {
    /* The command line. */
    struct output_options output;
    char *const *folders;
    size_t folder_count;
    int64_t from_ms, until_ms; /* the time that is asked for; in the second reading of the logs' */
    const char *only;          /* the path of the only lock that is asked for; NULL: all */
    /* The logs and the files. */
    struct error error; /* the first one */
    struct journal *journal;
    struct file_set files;
    struct csv handoffs, holds; /* rows are written as locks are released */
    struct progress progress;
    int signals;
    /* What the readings find. */
    struct table tables[AUTOPSY_TABLES];
    bool loses;    /* transactions may be missing */
    uint64_t read; /* transactions, from the first to the last */
    int64_t first_zxid, last_zxid, first_ms;
    int64_t least_ms, last_ms;  /* the earliest and the latest time */
    int64_t back_ms, back_zxid; /* the largest step to an earlier time, and the transaction there */
    uint64_t orphans; /* ephemeral znodes of a snapshot that have outlived their sessions */
    /* For reading.c alone. */
    bool is_second;
    struct census *census;
    struct locks *locks;          /* there is none in the first reading */
    id_tree sessions;             /* that are open */
    int64_t begun_zxid, begun_ms; /* of the first transaction, or of that behind the last gap */
    int64_t snapshot;             /* from which that begins, as in the listener */
    bool has_zero_close;          /* a session closed itself by a request of number 0 */
    uint64_t unlisted;   /* sessions whose end lists no znodes, and was before the snapshot's */
    int64_t unlisted_ms; /* the end of the last of them */
    uint64_t left;       /* sessions that ended without a znode that was not deleted */
    int64_t left_zxid;   /* of the first of them */
    int64_t now_ms;
    int64_t clock_zxid;  /* since this transaction times are of one clock, and do not go back */
    bool in_time, ended; /* now is asked for; is behind until_ms */
    uint64_t period_ms;
    struct table_value *period; /* counts of the present time; `no_period` if it is not asked for */
    struct table_value no_period[autopsy_period_columns_count];
    struct table_value *expiry; /* of the session that ends; NULL: none does */
    const char *end;            /* of a hold that ends now */
};

/* reading.c: reads the logs into the rows, but for the findings; sets the error. */
void autopsy_read(struct autopsy *autopsy);

/* print.c: the findings; everything on stdout, as a text or as an object of docs/schema. */
void autopsy_conclude(struct autopsy *autopsy);
void autopsy_print(const struct autopsy *autopsy);
void autopsy_print_json(const struct autopsy *autopsy);

#endif
