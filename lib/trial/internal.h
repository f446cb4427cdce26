// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the parts of a trial share with each other alone. Layer: trial, below trial.
 */
#ifndef TRIAL_INTERNAL_H
#define TRIAL_INTERNAL_H

#include "fleet/actor.h"
#include "fleet/experiment.h"
#include "trial/stall.h"
#include "trial/trial_memory.h"

/* ------------------------------------------------------------------ handoffs: meter.c
 *
 * The handoff under way at a lock begins with a release or with the death of the holder, opens a
 * row in the ledger, and ends with the grants that follow.
 *
 * Invariant: a handoff has begun before any session can receive what follows from it. */

/* The number of the handoff under way (0 before the first release), and its row. */
uint64_t handoff_number(const struct trial_memory *memory, uint32_t lock);
struct ledger_row *handoff_row(const struct trial_memory *memory, uint32_t lock);

/* Living sessions that wait; the session +1 that holds alone and lives, or 0. */
uint64_t handoff_waiting(const struct trial_memory *memory, uint32_t lock);
uint32_t handoff_holder(const struct trial_memory *memory, uint32_t lock);

/* Whether a session that has released this lock may queue again (at the next lock, if the plan's
 * clients take every lock), and counts it as admitted then. */
bool handoff_admits(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A release is about to be sent, or the holder dies: opens the next row, and counts the waiting
 * sessions. Lets no more arrivals in when the ledger is running out of rows. */
void handoff_begin(struct trial_memory *memory, uint32_t lock, uint64_t now_ns, bool holder_died);

/* ------------------------------------------------------------------ meter: meter.c */

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

/* wakes: the session waited for the notification; else it is spurious. */
void meter_notified(const struct meter *meter, enum client_event event, bool wakes,
                    uint64_t now_ns);

/* Reads the kernel's byte counters of the connection and counts the difference to the reading
 * before. A new connection counts from zero. */
void meter_read_bytes(struct meter *meter, const struct client *client);

/* A grant, after checker_granted. Of a dead holder's lock it is no latency of a handoff. */
void meter_granted(const struct meter *meter, uint64_t arrived_ns, uint64_t now_ns);

/* A release is about to be sent, and begins a handoff; or has ended, release_ns later. */
void meter_release_begun(const struct meter *meter, uint64_t granted_ns, uint64_t now_ns);
void meter_released(const struct meter *meter, uint64_t release_ns);

/* ------------------------------------------------------------------ checker: checker.c */

/* The session holds this lock, or begins to release it. order: its sequence or arrival number. */
void checker_granted(struct trial_memory *memory, uint32_t lock, uint32_t session, int64_t order,
                     uint64_t now_ns);
void checker_released(struct trial_memory *memory, uint32_t lock, uint32_t session);

/* A session begins, or has ended, its passage of a barrier, from 0. Nothing if it is no barrier. */
void checker_begins(struct trial_memory *memory, uint32_t lock, enum passage passage);
void checker_ends(struct trial_memory *memory, uint32_t lock, uint32_t session, uint32_t barrier,
                  enum passage passage);

uint32_t checker_holders(const struct trial_memory *memory, uint32_t lock);

/* ------------------------------------------------------------------ injection: injection.c */

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

/* ------------------------------------------------------------------ a running trial: monitor.c */

struct trial_watch; /* trial/trial.h */

struct trial {
    struct trial_memory *memory;
    const struct trial_watch *watch;
    struct experiment experiment;
    uint64_t closes_ns; /* steady by time: when no more arrivals are let in; else UINT64_MAX */
    uint64_t opened_ns; /* the gate, on the host's clock; 0: not yet */
    uint64_t shown_ns;  /* the last progress, on the host's clock */
    struct stall stall;
};

/* What a trial adds to its experiment, whose context is the struct trial: shows progress, ends the
 * trial at the first failed verdict, and measures the stalls of servers. */
extern const struct experiment_kind monitor_kind;

/* The gate opens now; until now the trial waited as planned: no server is to answer for that. */
void monitor_open(struct trial *trial);
void monitor_rest(struct trial *trial);

/* Lets no more arrivals in if the time for that has come, or if enough has been measured. */
void monitor_close_in_time(struct trial *trial);

/* ------------------------------------------------------------------ the steps of a trial */

/* The gate is open: runs the trial, whose plan has PACE_LOCKSTEP, to the end of the last release,
 * or of the experiment. Adds what the law predicts for all steps to *law. */
void lockstep_run(struct trial *trial, struct tally *law);

/* Below the trial's root: a znode for each lock, and below that what the recipe has laid out. The
 * set-up session makes all requests of the znodes; each function returns its errors, and records
 * what is wrong with the znodes as a violation. */
MUST_CHECK enum error_kind znodes_lay_out(const struct trial_memory *memory,
                                          struct setup_session *setup, struct error *error);

/* After the last release only what was laid out may be left in the locks, as soon as the servers
 * have ended the sessions that died; and a recipe's counter must have counted every grant. */
MUST_CHECK enum error_kind znodes_check_end(struct trial_memory *memory,
                                            struct setup_session *setup, struct error *error);

/* At the deadline: a session that waits for the deletion of a znode that does not exist, or for the
 * creation of one that exists, has lost a wake-up. */
MUST_CHECK enum error_kind znodes_check_wakeups(struct trial_memory *memory,
                                                struct setup_session *setup, struct error *error);

/* Writes why a trial did not end well; "" if it did, or failed a verdict. size >= 512. */
void ending_describe(const struct trial_memory *memory, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size);

#endif
