// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy.
 *
 * All logs are read twice. The first reading tells how much there is, how far the clocks can be
 * trusted, and which znodes are locks; the second one who held them.
 */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/clock.h"
#include "base/id_tree.h"
#include "bench/autopsy/columns.h"
#include "history/census.h"
#include "history/locks.h"
#include "journal/journal.h"
#include "measure/csv.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdio.h>

/* A session that is open. */
struct log_session {
    int64_t id; /* the key */
    int32_t timeout_ms;
    int64_t seen_ms, seen_zxid; /* its last transaction; 0: none yet */
    uint64_t herd;              /* in which it had an error last */
    uint64_t herd_errors;       /* in that one */
};

/* The folders with the highest numbers, the highest first. */
#define AUTOPSY_SEQUENCES 5
struct sequence {
    char *folder; /* NULL: none */
    uint32_t next;
};

/* Counts of the time that is asked for, in the order of the screen: X(name, words). */
#define AUTOPSY_COUNTS(X)                                                                          \
    X(sessions_opened, "sessions began")                                                           \
    X(sessions_closed, "ended")                                                                    \
    X(sessions_expired, "expired")                                                                 \
    X(sessions_undecided, "expired or closed themselves by a request of number 0")                 \
    X(errors, "error transactions")                                                                \
    X(refused, "creates that a lock refused")                                                      \
    X(own_refused, "creates that a lock of zkherd itself refused")                                 \
    X(unattributed, "refused creates of no lock that is known")                                    \
    X(orphans, "ephemeral znodes of a snapshot that have outlived their sessions")

enum { MINUTES, PERIODS, SPANS };

struct findings {
    /* The caller's. */
    size_t logs;
    int64_t from_ms, until_ms;  /* what is before and behind is left out */
    const char *only;           /* the path of the only lock to tell of; NULL: all */
    const char *run;            /* of the rows of handoffs.csv */
    struct csv handoffs, holds; /* rows are written as locks are released */
    struct table flaws;
    /* Of all that was read. */
    uint64_t read;
    int64_t first_zxid, last_zxid;
    int64_t first_ms;          /* of the first transaction */
    int64_t least_ms, last_ms; /* the earliest and the latest time */
    struct {                   /* steps of the clock to an earlier time */
        uint64_t steps;
        int64_t most_ms;   /* the largest */
        int64_t most_zxid; /* of the transaction behind it */
        bool at_epoch;     /* where another leader began */
    } back;
    uint64_t zero_closes; /* sessions that closed themselves by a request of number 0 */
    uint64_t unlisted; /* sessions that a snapshot is too late for, and whose end lists no znodes */
    int64_t unlisted_ms; /* the end of the last of them */
    /* The reading. */
    bool is_second;
    struct census *census;
    id_tree sessions;
    int64_t now_ms;
    int64_t begun_zxid, begun_ms; /* of the first transaction, or of that behind the last gap */
    int64_t snapshot;             /* from which that begins, as in the listener */
    size_t early;                 /* so many early znodes of the census are made */
    bool ended;                   /* now is behind until_ms */
    /* What the second one finds. */
    uint64_t transactions; /* in the time that is asked for */
#define X(name, words) uint64_t name;
    AUTOPSY_COUNTS(X)
#undef X
    struct locks *locks;
    struct table lock_rows, expiries, herds, spans[SPANS], answers;
    struct sequence sequences[AUTOPSY_SEQUENCES];
    uint64_t span_ms[SPANS];
    /* The rest is for holds.c and spans.c. */
    struct table all_rows; /* of all locks, by their index */
    struct herd *herd;
    struct table_value *expiry; /* of the session that is being ended; NULL: it closed itself */
    const char *end;            /* of a hold that ends now */
};

/* ------------------------------------------------------------------ both readings (reading.c) */

/* A listener whose context begins with a struct findings; reading_again is called between the two
 * readings, and reading_end behind them. */
extern const struct journal_listener reading_listener;
void reading_again(struct findings *findings);
void reading_end(struct findings *findings);
void reading_deinit(struct findings *findings);

/* ------------------------------------------------------------------ locks (holds.c) */

enum session_end { SESSION_CLOSED, SESSION_EXPIRED, SESSION_UNDECIDED };

void holds_start(struct findings *findings);
void holds_forget(struct findings *findings);
void holds_create(struct findings *findings, const struct census_create *create);
void holds_delete(struct findings *findings, const char *path);
void holds_refuse(struct findings *findings, struct log_session *session, int32_t code,
                  const struct census_blame *blame);

/* silent_ms: since its last transaction; -1: not known. */
void holds_close(struct findings *findings, const struct log_session *session,
                 const struct journal_transaction *close, enum session_end end, int64_t silent_ms);
void holds_end(struct findings *findings);

/* ------------------------------------------------------------------ time (spans.c) */

/* Whether the present time is asked for. */
bool spans_ask_for(const struct findings *findings);

/* Add to a count of the present minute and of the present period; and the holders and waiters. */
void spans_start(struct findings *findings);
void spans_count(struct findings *findings, enum autopsy_minute_column column, uint64_t more);
void spans_count_waiters(struct findings *findings);

/* Raises the count of a maximum to another one. */
void raise_count(struct table_value *most, size_t count);

/* An error transaction of a session; lock: that refused it, or NULL. */
void bursts_add(struct findings *findings, struct log_session *session, int32_t code,
                const struct locks_lock *lock);
void bursts_end(struct findings *findings);

/* ------------------------------------------------------------------ the result (print.c) */

/* Adds the rows of findings.csv. */
void autopsy_conclude(struct findings *findings);
void autopsy_write(const struct findings *findings, FILE *stream);
json_t *autopsy_describe(const struct findings *findings, const char *folder);

/* Whether transactions may be missing. */
bool autopsy_loses(const struct findings *findings);

#endif
