// SPDX-License-Identifier: Apache-2.0
/*
 * board: the memory that the processes of one trial share. Layer: trial.
 *
 * Laid out once, from the plan, before the workers are forked; it lies at the same address in all
 * of them. The coordinator writes the phase and the commands; the workers write everything else,
 * with atomic operations where two of them may meet.
 *
 * Invariant: after the gate has opened nothing in here grows.
 */
#ifndef TRIAL_BOARD_H
#define TRIAL_BOARD_H

#include "base/error.h"
#include "measure/histogram.h"
#include "servers/role.h"
#include "trial/ledger.h"
#include "trial/plan.h"
#include "trial/violation.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_CACHE_LINE     64
#define BOARD_VIOLATIONS_MAX 16

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

enum board_phase {
    PHASE_CONNECT,  /* sessions open */
    PHASE_RUN,      /* the gate is open */
    PHASE_MEASURED, /* workers take their last readings */
    PHASE_CLOSE,    /* workers end their sessions, and themselves */
};

/* A command to a worker about its sessions; one at a time, under lockstep. */
enum board_command {
    COMMAND_NONE,
    COMMAND_ARRIVE,
    COMMAND_RELEASE,
    COMMAND_TURN, /* about all of its sessions that rest at a turn of this lock */
    COMMAND_DIE,
};

struct board_lock {
    _Alignas(BOARD_CACHE_LINE) _Atomic uint32_t holder; /* who holds alone: session +1; 0: nobody */
    _Atomic uint32_t sharers;                           /* how many hold together */
    /* Arrivals let in, against the plan's handoffs; the first of each client is let in beforehand.
     */
    _Atomic uint64_t admissions;
    _Atomic uint64_t arrivals;
    _Atomic uint64_t grants;
    _Atomic uint64_t releases;    /* sent: the number of the ledger's present row */
    _Atomic uint64_t released_ns; /* when the last release was sent */
    _Atomic bool joined;          /* somebody has arrived since then */
    _Atomic uint64_t abandoned;   /* arrivals whose sessions died while they waited */
    _Atomic bool bereaved;        /* the present row began with its holder's death */
    _Atomic uint64_t lapses_ns;   /* of a holder that crashed: it holds at least until then */
    _Atomic uint32_t deserter;    /* session +1 that gave it up by crashing; 0: none */
    _Atomic int64_t last_order;   /* the highest of all grants: see checker.h … */
    _Atomic int64_t last_alone;   /* … and of those who held alone */
    _Atomic uint64_t inversions;
};

/* What a process writes; if its lock sessions have threads of their own, all of them do: total and
 * the histograms are for atomic additions only. There is a histogram for every role: 216 KiB each,
 * but only what is recorded into ever takes memory. */
struct board_worker {
    _Alignas(BOARD_CACHE_LINE) _Atomic uint64_t command; /* enum board_command << 32 | session,
                                                            or lock */
    int wake_descriptor;                                 /* an eventfd */
    struct tally total;                                  /* this worker's own count */
    _Atomic uint64_t steps; /* arrivals, grants, releases and ends of its sessions */
    uint64_t cpu_ns;        /* gate to last reading */
    uint64_t rss_kib;       /* at the last reading */
    _Atomic uint64_t reconnects;
    _Atomic uint32_t unread; /* last readings that are still to be taken; see worker.c … */
    _Atomic uint32_t untold; /* … and reports to the present inquiry */
    struct error error;      /* why the worker ended before its time */
    struct histogram late;   /* how late holds ended, but those of 0 */
    struct histogram latency[ROLES][METER_KINDS];
};

struct board_session {
    uint64_t acquisitions;
    uint32_t lock;             /* that it contends for, at the last reading */
    bool unfinished;           /* at the last reading: it neither holds nor is done */
    bool parked;               /* … because it waits for a watch */
    bool asked;                /* … or because it has a request out … */
    bool answered;             /* … to which something has come that was not read */
    bool pauses;               /* … or until a timer rings: it holds, or its recipe pauses */
    bool missed;               /* it lost its connection, and may not have heard of all */
    enum client_event awaited; /* parked: for this event … */
    char waits_for[RECIPE_PATH_MAX]; /* … of this znode */
    char node[RECIPE_PATH_MAX];      /* unfinished: the one that stands for it in the lock */
    _Atomic bool dead;
    uint32_t timeout_ms;             /* of the session, as the server granted it */
    uint64_t spoke_ns;               /* see struct meter … */
    uint64_t pings;                  /* … and this */
    char server[CLIENT_SERVER_SIZE]; /* that it is connected to; kept when it no longer is */
    enum role role;                  /* of that server at the gate: see role.h */
};

struct board {
    const struct trial_plan *plan;
    struct board_lock *locks;
    struct board_worker *workers;
    struct board_session *sessions;
    struct ledger ledger;
    size_t size_bytes;
    enum role roles[CONNECT_ENDPOINTS_MAX]; /* of the plan's servers at the gate */
    int coordinator_descriptor; /* an eventfd: something that the coordinator waits for may have
                                 happened */

    _Alignas(BOARD_CACHE_LINE) _Atomic int phase;
    _Atomic bool closed;         /* no more arrivals */
    _Atomic bool overflowed;     /* … because the ledger has no more rows */
    _Atomic uint32_t connecting; /* sessions under way, bounded: a server's backlog is short */
    _Atomic uint32_t established;
    _Atomic uint32_t workers_ready; /* have taken their last readings */
    _Atomic uint32_t finished;      /* free pace: sessions that are done */
    _Atomic uint32_t inquiry; /* how often all sessions were asked what they do: stall.h … */
    _Atomic uint32_t told;    /* … and the workers whose sessions have reported since */
    _Atomic uint64_t lost;    /* sessions that cannot go on: a connection lost, a refused request */
    _Atomic uint32_t first_lost;   /* session +1 */
    _Atomic int first_lost_status; /* enum zk_status */
    /* Sessions that are not at rest: the one word here that every wake-up of a session changes. */
    _Alignas(BOARD_CACHE_LINE) _Atomic int64_t busy;
    _Alignas(BOARD_CACHE_LINE) _Atomic uint64_t first_release_ns;
    _Atomic uint64_t last_released_ns; /* the last answer to a release */
    _Atomic uint64_t died_ns;          /* the first death, or lost reply; 0: none so far … */
    _Atomic uint32_t died_lock;        /* … at this lock … */
    _Atomic uint64_t recovery_ns;      /* … from there to its next grant; 0: none so far */
    _Atomic uint64_t expires_ns;       /* by then the servers have ended all who died */
    /* Connections that sessions lost while the gate was open, or had lost when it opened. */
    _Atomic uint32_t losses;
    _Atomic uint32_t exits;      /* sessions that were closed in order, before the end */
    _Atomic uint32_t repairs;    /* see struct contender … */
    _Atomic uint32_t tasks_done; /* … and this */
    _Atomic uint32_t violation_count;
    struct violation violations[BOARD_VIOLATIONS_MAX]; /* the first ones */
};

/* Lays out a board for the plan, which must outlive it. *board is the caller's to board_free. */
MUST_CHECK enum error_kind board_new(const struct trial_plan *plan, struct board **board,
                                     struct error *error);
void board_free(struct board *board);

/* How many rows of the ledger this lock has come to use: row 0, and one for each release. */
size_t board_rows_used(const struct board *board, uint32_t lock);

/* Records a violation; only the first BOARD_VIOLATIONS_MAX are kept, all are counted. */
void board_violate(struct board *board, const struct violation *violation);

/* Holds the sums of the ledger's rows against what the sessions counted, bytes included: a
 * violation for each kind that differs. */
void board_check_ledger(struct board *board, const struct tally *total);

/* How many violations have been recorded, and how many of them are kept. */
uint32_t board_violation_count(const struct board *board);

/* The notifications that all sessions have received so far, the requests that they have sent, and
 * their arrivals, grants, releases and ends: sums over the workers. */
uint64_t board_notifications(const struct board *board);
uint64_t board_requests(const struct board *board);
uint64_t board_steps(const struct board *board);

/* Sets a time, or another number that only grows and that several may set at once, to this value
 * unless it is higher already. */
void board_raise(_Atomic uint64_t *highest, uint64_t value);

/* Wakes the coordinator, or a worker; -1, in a simulation: there is nobody to wake. */
void board_wake(int descriptor);
/* Takes the wake-up back out of an eventfd. */
void board_woken(int descriptor);

/* The word for a kind of latency: a static string. */
const char *board_meter_word(enum meter_kind kind);

#endif
