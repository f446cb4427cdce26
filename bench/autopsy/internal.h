// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy. */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/clock.h"
#include "base/id_tree.h"
#include "bench/autopsy/columns.h"
#include "bench/cli/options.h"
#include "history/census.h"
#include "history/locks.h"
#include "journal/journal.h"
#include "measure/csv.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdio.h>

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

/* Whether the present time is asked for, and a lock; NULL: no lock is. */
bool findings_in_time(const struct findings *findings);
bool findings_ask_for(const struct findings *findings, const struct locks_lock *lock);

/* ------------------------------------------------------------------ periods and bursts (periods.c)
 */

/* Adds to a count of the present minute and of the present period; and the holders and waiters. */
void periods_count(struct findings *findings, enum autopsy_minute_column column, uint64_t more);
void periods_count_waiters(struct findings *findings);

/* Raises the count of a maximum to another one. */
void periods_raise(struct table_value *most, size_t count);

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
