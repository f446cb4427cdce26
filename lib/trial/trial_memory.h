// SPDX-License-Identifier: Apache-2.0
/*
 * trial memory: the memory about locks that the processes of a trial share. Layer: trial.
 *
 * Like the fleet's own (fleet/shared.h) it is laid out once, before the workers are forked, and is
 * at the same address in all of them. Atomic operations are used where two processes may write.
 *
 * Invariant: after the gate has opened nothing here grows.
 */
#ifndef TRIAL_TRIAL_MEMORY_H
#define TRIAL_TRIAL_MEMORY_H

#include "client/client.h"
#include "fleet/server_counters.h"
#include "fleet/shared.h"
#include "measure/histogram.h"
#include "trial/trial_plan.h"

/* ------------------------------------------------------------------ the ledger */

/*
 * The ledger attributes every message of a trial to the handoff that it belongs to. There is a row
 * for each lock and handoff. Row 0 holds what came before the lock's first release: the arrivals
 * and the first grant. Row i holds what was sent and received from release i on, up to release i+1.
 * The last release has a row too, without a grant if no session waited.
 *
 * The rows are written with atomic additions. Invariant: the sum of the rows is the trial's total;
 * a message is in exactly one row.
 */
struct ledger_row {
    struct tally tally;
    uint64_t released_ns;     /* when the release was sent, on the trial's clock. Rows 1 and up */
    uint32_t waiters;         /* when the release was sent */
    _Atomic uint32_t granted; /* sessions: more than one if they share */
    _Atomic uint32_t holder;  /* the first that was granted, +1; 0: none so far */
    /* From the release sent to the last grant that followed; 0: none did. Rows 1 and up. */
    _Atomic uint64_t handoff_ns;
};

struct ledger {
    struct ledger_row *rows; /* locks × rows_per_lock */
    uint32_t locks;
    size_t rows_per_lock;
};

/* The row of a lock's handoff; the last row when all are used up. */
struct ledger_row *ledger_row(const struct ledger *ledger, uint32_t lock, uint64_t handoff);

/* The first kind, in the order of the columns, in which a tally differs from the law's, or
 * TALLY_KINDS if they are equal. Bytes have no law. */
enum tally_kind ledger_difference(const struct tally *found, const struct tally *expected);

/* ------------------------------------------------------------------ the trace
 *
 * The messages of the plan's traced handoffs, one by one, with the session and the time of each. A
 * place is taken with one atomic addition; an event that finds no place is counted. */

enum trace_kind {
    TRACE_RELEASE, /* the holder begins its release; the time of the handoff counts from here */
    TRACE_REQUEST,
    TRACE_REPLY,
    TRACE_NOTIFICATION,
    TRACE_GRANT
};

struct trace_event {
    uint64_t number; /* its place in the order in which the events of the trial were noted */
    uint64_t handoff;
    uint64_t at_ns;      /* on the trial's clock */
    uint64_t latency_ns; /* reply: since the request */
    uint32_t lock;
    uint32_t session;
    enum trace_kind kind;
    enum operation operation; /* request, reply */
    enum zk_status status;    /* reply */
    enum client_event event;  /* notification */
    bool wakes;               /* notification: the session waited for it */
};

struct trace {
    struct trace_event *events;
    size_t places;
    _Atomic uint64_t noted; /* events, those without a place included */
};

/* Keeps the event, which gets its number. */
void trace_note(struct trace *trace, const struct trace_event *event);

/* The number of events that are kept, and of those that found no place. */
size_t trace_kept(const struct trace *trace);
uint64_t trace_lost(const struct trace *trace);

/* Sorts the events that are kept by lock, handoff, time and number, after the last was noted. */
void trace_sort(struct trace *trace);

/* Words for trace.csv: the kind of an event; and the operation of a request or a reply, or the
 * change that a notification is of, or NULL. */
const char *trace_kind_word(enum trace_kind kind);
const char *trace_subject_word(const struct trace_event *event);

/* ------------------------------------------------------------------ violations */

/* The facts of a failed verdict: recorded in the measured path, formatted afterwards. X(name, its
 * words, with members of struct violation: $s session, $o other, $e expected, $f found, $E and $F
 * these in seconds of ms, $t tally, $c counter, $p file and line) */
#define VIOLATION_LIST(X)                                                                          \
    X(TWO_HOLDERS, "two holders: $s was granted while $o held")                                    \
    X(SHARED, "two holders: $s was granted alone while $f shared it")                              \
    X(LEASES, "too many holders: $s was granted while $f held, of $e that may")                    \
    X(NOT_HOLDER, "$s released a lock that $o held")                                               \
    X(ORDER, "out of turn: $s with number $f was granted after number $e")                         \
    X(LAW, "$t: the law says $e, found $f")                                                        \
    X(UNSENT, "$t: the law says that a release sends $e, $s sent $f, and $p")                      \
    X(HOLDERS, "at rest, $e should hold the lock, and $f do")                                      \
    X(ENTERED_EARLY, "$s entered the barrier when $f of $e had arrived")                           \
    X(LEFT_EARLY, "$s left the barrier when $f of $e had begun to leave")                          \
    X(COUNTER, "after $e increments the counter says $f")                                          \
    X(LOST_WAKEUP, "lost wake-up: $f of $e predicted notifications came")                          \
    X(MISSED_EVENT, "lost wake-up: $s waits for what has happened already")                        \
    X(LEFTOVER, "$f znodes are left in the lock")                                                  \
    X(UNDELETED, ("leftover: $o ended and left its ephemeral znode: $s was granted $F s after "    \
                  "the release, at the session timeout ($E s)"))                                   \
    X(SERVERS, "the servers counted $f $c, the sessions account for $e")                           \
    X(LEDGER, "$t: the sessions counted $e, the ledger's rows sum to $f")

enum violation_kind {
#define X(name, words) VIOLATION_##name,
    VIOLATION_LIST(X)
#undef X
};

#define TRIAL_MEMORY_VIOLATIONS_MAX 16

struct violation {
    enum violation_kind kind;
    uint32_t lock;
    uint64_t handoff; /* the number of the ledger's row */
    uint32_t session; /* +1; 0: none */
    uint32_t other;   /* +1; 0: none */
    enum tally_kind tally;
    enum server_counters_counter counter;
    const char *file; /* of UNSENT: where the release ended, a static text; NULL: it has not */
    int line;
    int64_t expected;
    int64_t found;
};

/* Writes a sentence about the violation, and returns text. size >= 256. */
const char *violation_describe(const struct violation *violation, char *text, size_t size);

/* ------------------------------------------------------------------ locks, workers, sessions */

/* The kinds of latency that are recorded. X(name, the word for it in latency.csv) */
#define METER_LIST(X)                                                                              \
    X(CREATE, "create")                                                                            \
    X(CREATE_FAILED, "create_failed")                                                              \
    X(EXISTS, "exists")                                                                            \
    X(GET, "get")                                                                                  \
    X(GET_CHILDREN, "get_children")                                                                \
    X(SET, "set")                                                                                  \
    X(DELETE, "delete")                                                                            \
    X(MULTI, "multi")                                                                              \
    X(SYNC, "sync")                                                                                \
    X(NOTIFICATION, "notification") /* release sent to notification received */                    \
    X(HANDOFF, "handoff")           /* release sent to the next grant */                           \
    X(ACQUIRE, "acquire")           /* arrival to grant */                                         \
    X(RELEASE, "release")           /* release begun to its end */

enum meter_kind {
#define X(name, word) METER_##name,
    METER_LIST(X)
#undef X
        METER_KINDS
};

/* A passage of a barrier. */
enum passage { PASSAGE_IN, PASSAGE_OUT, PASSAGES };

struct lock_state {
    /* Session +1 that holds alone; 0: none does. */
    _Alignas(SHARED_CACHE_LINE) _Atomic uint32_t holder;
    _Atomic uint32_t sharers; /* sessions that hold together */
    /* Arrivals let in, at most the plan's handoffs; the first of each client counts beforehand. */
    _Atomic uint64_t admissions;
    _Atomic uint64_t arrivals;
    _Atomic uint64_t grants;
    _Atomic uint64_t releases;    /* sent: the number of the ledger's present row */
    _Atomic uint64_t released_ns; /* when the last release was sent */
    _Atomic bool joined;          /* a session has arrived since then */
    _Atomic uint64_t abandoned;   /* arrivals whose sessions died while they waited */
    _Atomic bool holder_died;     /* the present row began with its holder's death */
    _Atomic uint64_t lapses_ns;   /* of a holder that crashed: before then a grant is a violation */
    /* Session +1 that died in its release: the next to be granted has waited for its timeout. */
    _Atomic uint32_t undeleted;
    _Atomic int64_t last_order; /* the highest of all grants: see checker.c */
    _Atomic int64_t last_alone; /* the highest of the grants to those who hold alone */
    _Atomic uint64_t inversions;
    _Atomic uint64_t passages[PASSAGES]; /* of barriers, by all clients: begun */
    /* The steady part of a steady trial (meter.c): */
    _Atomic uint64_t steady_from_ns;  /* the grant before its first; 0: it has not begun */
    _Atomic uint64_t steady_until_ns; /* its last grant so far */
    _Atomic uint64_t steady_grants;
    _Atomic uint64_t steady_holds;   /* that ended in it */
    _Atomic uint64_t steady_held_ns; /* by them, from the grant to the release sent */
};

/* The counts of the lock sessions of a process, by atomic additions, because each may have a thread
 * of its own. A histogram has 216 KiB, but takes memory only once something is recorded in it. */
struct lock_worker {
    _Alignas(SHARED_CACHE_LINE) struct tally total; /* this worker's own count */
    struct histogram late;                          /* how late holds of more than 0 ended */
    struct histogram latency[ROLES][METER_KINDS];
};

/* The state of a lock session at its last report, and its grants. */
struct trial_session_report {
    uint64_t acquisitions;
    uint64_t released_ns;            /* when its last release ended; 0: none has */
    const char *released_file;       /* and where: a static text, */
    int released_line;               /* and a line of the recipe */
    uint32_t lock;                   /* that it contends for */
    bool unfinished;                 /* it neither holds nor is done */
    bool parked;                     /* it waits for a watch */
    bool pauses;                     /* it waits for an alarm: it holds, or its recipe pauses */
    bool missed;                     /* it lost its connection, and may have missed events */
    enum client_event awaited;       /* parked: the event that it waits for */
    char waits_for[RECIPE_PATH_MAX]; /* parked: the znode of that event */
    char node[RECIPE_PATH_MAX];      /* unfinished: its own znode in the lock */
};

/* All stalls of a trial: silences in which a server owed an answer (docs/method.md). */
struct stalls {
    uint32_t count;
    uint64_t total_ns;
    uint64_t longest_ns;
    char server[ENDPOINT_TEXT_SIZE]; /* that owed an answer in the longest; "": not known */
    uint64_t absent_ns; /* the longest time for which the trial waited for zkherd itself */
};

struct trial_memory {
    const struct trial_plan *plan;
    struct shared *fleet; /* the fleet's own shared memory */
    struct lock_state *locks;
    struct lock_worker *workers;
    struct trial_session_report *sessions;
    struct ledger ledger;
    struct trace trace;
    char (*folders)[RECIPE_PATH_MAX]; /* see trial_memory_folder */
    struct histogram *sums; /* for the result: as in a worker, and of all roles together */
    size_t size_bytes;

    _Alignas(SHARED_CACHE_LINE) _Atomic bool closed; /* no more arrivals */
    _Atomic bool overflowed;                         /* because the ledger has no more rows */
    _Atomic uint64_t first_release_ns;
    _Atomic uint64_t last_released_ns; /* the last answer to a release */
    _Atomic uint64_t died_ns;          /* the first death, or lost reply; 0: none so far */
    _Atomic uint32_t died_lock;        /* the lock at which that was */
    _Atomic uint32_t died_session;
    _Atomic uint64_t died_handoff; /* of that lock then, with that of a holder's death */
    _Atomic uint64_t recovery_ns;  /* from there to that lock's next grant; 0: none so far */
    _Atomic uint32_t exits;        /* sessions that were closed in order, before the end */
    _Atomic uint32_t repairs;      /* see struct contender */
    _Atomic uint32_t tasks_done;   /* see struct contender */
    _Atomic uint32_t violation_count;
    struct violation violations[TRIAL_MEMORY_VIOLATIONS_MAX]; /* the first ones */
};

/* Lays out the memory of a trial, and that of its fleet, for the plan, which must outlive both.
 * *memory is the caller's to trial_memory_free. */
MUST_CHECK enum error_kind trial_memory_new(const struct trial_plan *plan,
                                            struct trial_memory **memory, struct error *error);

void trial_memory_free(struct trial_memory *memory); /* NULL is fine */

/* The path of the folder in which a recipe works at this lock, or, with several barriers, at this
 * one of them. It is as old as the memory: nothing is formatted in a trial. */
const char *trial_memory_folder(const struct trial_memory *memory, uint32_t lock, uint32_t barrier);

/* The rows of the ledger that this lock has come to use: row 0, and one for each release. */
size_t trial_memory_rows_used(const struct trial_memory *memory, uint32_t lock);

/* Counts a violation, in this handoff of the lock; keeps the first TRIAL_MEMORY_VIOLATIONS_MAX. */
void trial_memory_violate(struct trial_memory *memory, uint32_t lock, uint64_t handoff,
                          struct violation violation);

/* Compares the sums of the ledger's rows with what the sessions counted, bytes included: records a
 * violation for each kind that differs. */
void trial_memory_check_ledger(struct trial_memory *memory, const struct tally *total);

/* All that the sessions have counted so far, and the requests among it. */
struct tally trial_memory_total(const struct trial_memory *memory);
uint64_t trial_memory_requests(const struct trial_memory *memory);

const char *trial_memory_meter_word(enum meter_kind kind);

#endif
