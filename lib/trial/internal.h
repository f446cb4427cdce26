// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the parts of a trial share with each other alone. Layer: trial, below trial.
 */
#ifndef TRIAL_INTERNAL_H
#define TRIAL_INTERNAL_H

#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"
#include "fleet/actor.h"
#include "fleet/workers.h"
#include "recipes/law.h"
#include "trial/trial.h"

/* ------------------------------------------------------------------ handoff
 *
 * Who holds a lock, who waits for it, and the handoff under way, which begins with a release or
 * with the death of the holder, opens a row in the ledger, and ends with the grants that follow.
 *
 * Invariant: a handoff has begun before anybody can see what follows from it. */

/* Instead of a time since the release: there is no release to count from. */
#define HANDOFF_NONE UINT64_MAX

/* The number of the handoff under way at this lock (0 before the first release), and its row. */
uint64_t handoff_number(const struct trial_memory *memory, uint32_t lock);
struct ledger_row *handoff_row(const struct trial_memory *memory, uint32_t lock);

/* Sessions that wait at this lock and live. */
uint64_t handoff_waiting(const struct trial_memory *memory, uint32_t lock);

/* The session +1 that holds this lock alone and lives; 0 if there is none. */
uint32_t handoff_holder(const struct trial_memory *memory, uint32_t lock);

/* Whether a session that has released this lock may queue again (at the next lock, if the plan's
 * clients take every lock), and counts it as admitted then. */
bool handoff_admits(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A release is about to be sent, or the holder dies: opens the next row, and counts the waiting
 * sessions. Lets no more arrivals in when the ledger is running out of rows. */
void handoff_begin(struct trial_memory *memory, uint32_t lock, uint64_t now_ns, bool holder_died);

/* The time from the release to a notification or a grant that follows from it; HANDOFF_NONE for
 * another one. Of a grant: to be called after checker_granted, with the time when the granted
 * session arrived. */
uint64_t handoff_notification_ns(const struct trial_memory *memory, uint32_t lock,
                                 enum client_event event, uint64_t now_ns);
uint64_t handoff_grant_ns(const struct trial_memory *memory, uint32_t lock, uint64_t arrived_ns,
                          uint64_t now_ns);

/* Fills the grant into the handoff's row. grant_ns: of handoff_grant_ns. */
void handoff_granted(struct trial_memory *memory, uint32_t lock, uint32_t session,
                     uint64_t grant_ns, uint64_t now_ns);

/* ------------------------------------------------------------------ injection
 *
 * Which session dies, or loses a reply, on purpose, and when: as the plan says (recipes/death.h).
 * Under lockstep the coordinator orders the holder or a waiter to die between two steps. A session
 * that loses a reply, or dies at its work, decides so itself.
 *
 * Invariant: a death is in the shared memory before the session ends. */

/* Whether no session has died and no reply was lost so far. After that the law predicts nothing. */
bool injection_none_yet(const struct trial_memory *memory);

/* Between two steps: whether a session is to die now, and which. */
bool injection_due(const struct trial_memory *memory, uint32_t *session);

/* Whether a session that has just been granted this lock is to crash in the middle of its work. */
bool injection_crashes_work(const struct trial_memory *memory, uint32_t lock);

/* Whether the reply to this session's CREATE is to be lost: true until injection_begun. */
bool injection_loses_reply(const struct trial_memory *memory, uint32_t session);

/* A session at this lock dies now, or loses its reply. */
void injection_begun(struct trial_memory *memory, uint32_t lock, uint32_t session, uint64_t now_ns);

/* The session is dead. Its ephemeral znodes may stay until expires_ns. */
void injection_dead(struct trial_memory *memory, uint32_t session, uint64_t expires_ns);

/* ------------------------------------------------------------------ checker
 *
 * Checks at every grant and release, in all processes, that the lock is a lock: two atomic words
 * per lock contain who holds it alone and how many share it, as their recipe says. Nobody may hold
 * beside a client that holds alone, and no more share than the recipe has leases. A session that
 * crashes while it holds counts as the holder until the earliest time at which the servers may have
 * deleted its znodes.
 *
 * Order: the sequence numbers of a queue's grants must rise, but not among clients that share. For
 * a lock without a queue the number is that of the arrival; an inversion is counted, and is no
 * violation, because such a lock promises no order.
 *
 * No client may have entered a barrier before all have begun to enter it, or have left it before
 * all have begun to leave it. One count for all barriers of a lock is sufficient: a client begins
 * with the next one only when it is through, so whoever is through first finds that count too low.
 */

/* The session holds this lock from now on, or begins to release it. order: its sequence number, or
 * the number of its arrival. */
void checker_granted(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns);
void checker_released(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A session begins to enter, or to leave, a barrier of this lock. Of another recipe: nothing. */
void checker_enters(struct trial_memory *memory, uint32_t lock);
void checker_leaves(struct trial_memory *memory, uint32_t lock);

/* The session has entered, or has left, the barrier with this number, from 0. */
void checker_entered(struct trial_memory *memory, uint32_t lock, uint32_t session,
                     uint32_t barrier);
void checker_left(struct trial_memory *memory, uint32_t lock, uint32_t session, uint32_t barrier);

/* How many sessions hold this lock. */
uint32_t checker_holders(const struct trial_memory *memory, uint32_t lock);

/* ------------------------------------------------------------------ meter
 *
 * Counts and times what a session sends and receives: in the present row of its lock's ledger, and
 * in the total of its worker, which must agree in the end. Latencies are kept by the role of a
 * session's server: of the granted session for a handoff, of the notified one for a notification.
 * In a steady trial they are recorded only in the steady part: from as many grants as the lock has
 * clients until no more arrivals are let in. Of the handoffs that the plan traces, each message is
 * kept as well (trace.h).
 *
 * Nothing here allocates, formats or logs: it is the measured path. */

/* Where a session's messages are counted. */
struct meter {
    struct trial_memory *memory;
    struct lock_worker *worker;
    const struct actor *actor; /* the session's */
    uint32_t lock;
    struct client_bytes bytes; /* at the last reading */
};

void meter_sent(const struct meter *meter, enum operation operation);
void meter_replied(const struct meter *meter, const struct client_reply *reply);

/* A notification. spurious: it did not wake its session. since_release_ns: of
 * handoff_notification_ns. */
void meter_notified(const struct meter *meter, enum client_event event, bool spurious,
                    uint64_t since_release_ns);

/* A grant, `acquire_ns` after its session arrived. handoff_ns: of handoff_grant_ns; not recorded if
 * the holder died. */
void meter_granted(const struct meter *meter, uint64_t now_ns, uint64_t acquire_ns,
                   uint64_t handoff_ns);

/* A release is about to be sent, `held_ns` after the grant; then its handoff has begun. */
void meter_held(const struct meter *meter, uint64_t held_ns);
void meter_release_begun(const struct meter *meter, uint64_t now_ns);

/* A release has ended, `release_ns` after it was sent. */
void meter_released(const struct meter *meter, uint64_t release_ns);

/* Reads the kernel's byte counters of the connection and attributes the difference to meter->bytes,
 * the reading before. A new connection counts from zero. */
void meter_read_bytes(struct meter *meter, const struct client *client);

/* ------------------------------------------------------------------ lock session
 *
 * A session that contends for locks; an actor of the trial's fleet. A reply, the awaited
 * notification, or an order of the coordinator resumes the recipe's coroutine, whose result decides
 * what the session does next:
 *
 *   arrive -> acquire -> granted -> [work] -> hold -> release -> released -> arrive, or finished
 *
 * Invariant: a session is counted as busy in the shared memory from an order to move until it is
 * parked on an armed watch, waits at a turn, holds, or is done. A session that a notification wakes
 * is counted as busy before the notification is counted: when no session is busy and the predicted
 * notifications are counted, nothing moves any more. */

/* The orders beside enum fleet_order. The session is counted as busy before it receives one. */
enum lock_session_order {
    LOCK_ORDER_ARRIVE = ORDER_OWN, /* idle: get in line */
    LOCK_ORDER_RELEASE,            /* holding: release when the plan's holding time is over */
    LOCK_ORDER_DIE,                /* waiting or holding, at rest: die as the plan says */
    LOCK_ORDER_GO_ON, /* plus a lock's number: go on, if it waits at a turn of that lock */
};

enum lock_session_state {
    SESSION_CONNECTING,
    SESSION_IDLE, /* connected, and not in line */
    SESSION_ACQUIRING,
    SESSION_PARKED,
    SESSION_WORKING, /* holding, and at the work under the lock */
    SESSION_AT_TURN, /* lockstep: goes on when all who wait may */
    SESSION_HOLDING,
    SESSION_RELEASING,
    SESSION_FINISHED,
    SESSION_DEAD, /* as the plan or the recipe demands */
    SESSION_LOST, /* it cannot go on */
    SESSION_READ, /* its last reading has been taken: it ignores everything */
};

struct lock_session {
    struct actor actor; /* first: a lock session is one */
    struct trial_memory *memory;
    struct contender contender;
    struct meter meter;
    struct random random;
    enum lock_session_state state;
    enum lock_session_state woken_to; /* parked: the state that it goes on in */
    uint32_t nested;                  /* acquires that were granted and not yet released */
    bool rests;                       /* it has stopped being busy during the present callback */
    bool timed;                       /* an alarm is set: it holds, or its recipe pauses */
    bool cutting;                     /* the reply to the request under way is to be lost */
    int64_t arrival;                  /* its number among the arrivals at this lock */
    uint64_t arrived_ns;
    uint64_t granted_ns;
    uint64_t release_ns; /* when its release began */
};

/* Lock sessions as actors of a fleet, whose kind is the trial's struct trial_memory. */
extern const struct actor_ops lock_session_ops;

/* ------------------------------------------------------------------ stall
 *
 * Detects that a server owes an answer while no session receives anything. The coordinator calls
 * stall_look about ten times a second. A silence begins when the workers' counters change for the
 * last time. After half a second of silence the workers report what each session is doing
 * (shared_inquire); before that, nothing is added to the measured path. A server owes something if
 * a request has no reply, or if all sessions wait for notifications. It owes nothing during a hold,
 * a pause of a recipe, the wait for a session to expire, or a wait for the plan's rate
 * (stall_rest), nor if a reply has arrived and was not read.
 *
 * Invariant: time in which zkherd itself did not run is never a stall of a server. It is counted
 * apart, in absent_ns. */

/* A silence is a stall when it is longer than this, and longer than so many times the median
 * latency of the trial so far (docs/method.md). Where none was found, the longest time in which a
 * server has owed one answer is a stall from STALL_BRIEF_NS on, if it is more than half of the time
 * from the gate to the last release, or, as a part of a handoff, of the drain, and longer than
 * STALL_BRIEF_LATENCIES times the median. */
#define STALL_LEAST_NS        NS_PER_S
#define STALL_LATENCIES       50
#define STALL_BRIEF_NS        (100 * NS_PER_MS)
#define STALL_BRIEF_LATENCIES 10

struct stall {
    struct trial_memory *memory;     /* NULL: not begun */
    uint64_t moved;                  /* the sum of the workers' counters */
    uint64_t since_ns;               /* when that sum was first seen */
    uint64_t absent_ns;              /* how long since then the coordinator was not run */
    uint64_t asked_ns;               /* when the workers were asked in this silence; 0: not yet */
    bool answered;                   /* the workers have reported: the next two fields are known */
    bool request_is_out;             /* some session waits for a reply */
    bool is_owed;                    /* that, or all sessions wait for notifications */
    uint64_t bound_ns;               /* a longer silence is a stall */
    uint64_t median_ns;              /* the median latency that it follows from; 0: from none */
    uint64_t began_ns;               /* when the gate opened */
    bool is_measured;                /* bound_ns follows from latencies of this trial */
    char server[ENDPOINT_TEXT_SIZE]; /* at which most sessions wait; "": not known */
    struct stalls found;
};

/* The gate opens, at now_ns: what a worker did not run before is forgotten. */
void stall_begin(struct stall *stall, struct trial_memory *memory, uint64_t now_ns);

/* Reads the workers' counters. absent_ns: how long the coordinator was not run since the last look,
 * beyond the wait that it had asked for. */
void stall_look(struct stall *stall, uint64_t now_ns, uint64_t absent_ns);

/* Until now the trial has waited as planned: the silence of that wait is not a stall. */
void stall_rest(struct stall *stall, uint64_t now_ns);

/* In the middle of the trial a server has just answered the coordinator's own question, after
 * waited_ns. Time that is counted here is not counted again with the silence around it. */
void stall_question(struct stall *stall, uint64_t now_ns, uint64_t waited_ns);

/* The end of the trial: counts the present silence. At the deadline it is counted only if a request
 * has no reply: if all sessions wait for notifications, the recipe may have lost a wake-up. */
void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline);

/* How long the present stall has lasted; 0: there is none. */
uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns);

/* ------------------------------------------------------------------ coordinator, and lockstep
 *
 * The coordinator leads the workers from the gate to the end: under lockstep every step, in free
 * pace until all sessions have finished and have received all notifications that the servers have
 * sent. To its fleet's watchdog it adds a monitor, which shows progress, ends the trial at the
 * first failed verdict, and measures the stalls of servers. */

struct monitor {
    struct watchdog watchdog; /* whatever leads the trial waits there */
    struct trial_memory *memory;
    const struct trial_watch *watch;
    uint64_t gate_ns;   /* when the gate opened */
    uint64_t closes_ns; /* steady by time: when no more arrivals are let in; else UINT64_MAX */
    uint64_t opened_ns; /* the gate, on the host's clock; 0: not yet */
    uint64_t shown_ns;  /* the last progress, on the host's clock */
    struct stall stall;
};

/* Until now the trial has waited as planned: no server is to answer for that. */
void monitor_rest(struct monitor *monitor);

/* Lets no more arrivals in if the time for that has come, or if enough has been measured. */
void monitor_close_in_time(const struct monitor *monitor);

/*
 * The gate is open: leads the monitor's trial, whose plan has PACE_LOCKSTEP, to the end of the last
 * release, one step at a time, and compares each step with the law. What the law predicts for all
 * steps is added to *law. at_gate: what the servers had counted when the gate opened. Errors are
 * those of watchdog_wait and of setup_session_exists.
 *
 * A step moves one session, or all sessions that wait at a turn. It is complete when no session is
 * busy and all notifications that the law predicts for it have been received. Then the row of the
 * ledger must equal the law's. On several servers an arrival waits until each of them has carried
 * out what any of them has, so that a session that reads before it writes reads the latest state.
 * After a death or the loss of a connection the law predicts nothing: a step is complete when
 * nothing has moved for a while, and no count is compared any more. With a max_rate the lockstep
 * waits before each step and at the end, never within a step.
 */
MUST_CHECK enum fleet_end lockstep_lead(struct monitor *monitor, struct setup_session *setup,
                                        const struct server_counters_reading *at_gate,
                                        struct tally *law);

struct coordinator_result {
    enum fleet_end end;                     /* anything but END_ERROR */
    struct tally law;                       /* what the law predicts for all steps; lockstep only */
    uint64_t gate_ns;                       /* when the gate opened */
    struct server_counters_reading at_gate; /* the servers, just before */
    struct stalls stalls; /* none in a simulation: its servers never stand still */
};

/*
 * Leads the trial until it is done or cannot go on, and has the workers take their last readings.
 * The workers run already; their sessions are still open afterwards. ERROR_INTERRUPTED,
 * ERROR_WORKER_DIED, ERROR_WORKER_HANGS, ERROR_NO_ANSWER (the sessions could not be established in
 * time), a worker's own error, or one of a server that no longer answers (server_counters_read).
 */
MUST_CHECK enum error_kind coordinator_lead(const struct workers *workers,
                                            struct setup_session *setup,
                                            struct server_counters *counters,
                                            const struct trial_watch *watch,
                                            struct coordinator_result *result, struct error *error);

/* ------------------------------------------------------------------ znodes
 *
 * The set-up session makes all requests; every function returns its errors. What is wrong with the
 * znodes is recorded as a violation. */

/* Creates the trial's root (in a simulation also its parent), below it a znode for each lock, and
 * below that what the recipe has laid out. */
MUST_CHECK enum error_kind znodes_lay_out(const struct trial_memory *memory,
                                          struct setup_session *setup, struct error *error);

/* After the last release only what was laid out may be left in the locks. Waits until the servers
 * have ended the sessions that died. */
MUST_CHECK enum error_kind znodes_check_leftovers(struct trial_memory *memory,
                                                  struct setup_session *setup, struct error *error);

/* After the last release: a recipe's counter must have counted every grant. */
MUST_CHECK enum error_kind znodes_check_counters(struct trial_memory *memory,
                                                 struct setup_session *setup, struct error *error);

/* At the deadline: a session that waits for the deletion of a znode that does not exist, or for the
 * creation of one that exists, has lost a wake-up. */
MUST_CHECK enum error_kind znodes_check_wakeups(struct trial_memory *memory,
                                                struct setup_session *setup, struct error *error);

/*
 * Writes why a trial did not end well, which session is unfinished, and what it waits for; "" for a
 * trial that ended well or with a failed verdict. To be called after the last readings. If nothing
 * moved the text also names the servers that have not answered requests, and their roles: each is
 * asked for its role, which may take seconds. size >= 512.
 */
void ending_describe(const struct trial_memory *memory, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size);

#endif
