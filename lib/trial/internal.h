// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the parts of a trial share with each other alone. Layer: trial, below trial.
 */
#ifndef TRIAL_INTERNAL_H
#define TRIAL_INTERNAL_H

#include "base/clock.h"
#include "client/client.h"
#include "fleet/actor.h"
#include "fleet/experiment.h"
#include "trial/stall.h"
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

/* ------------------------------------------------------------------ checker: checker.c */

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

/* ------------------------------------------------------------------ monitor
 *
 * What a trial adds to the watchdog of its experiment: it shows progress, ends the trial at the
 * first failed verdict, and measures the stalls of servers. */

struct monitor {
    struct experiment *experiment;
    struct trial_memory *memory;
    const struct trial_watch *watch;
    uint64_t closes_ns; /* steady by time: when no more arrivals are let in; else UINT64_MAX */
    uint64_t opened_ns; /* the gate, on the host's clock; 0: not yet */
    uint64_t shown_ns;  /* the last progress, on the host's clock */
    struct stall stall;
};

/* Of the experiment's watchdog, whose context is a monitor. */
extern const struct watchdog_kind monitor_kind;

uint64_t monitor_now_ns(const struct monitor *monitor);

/* The gate opens now. */
void monitor_open(struct monitor *monitor);

/* Until now the trial has waited as planned: no server is to answer for that. */
void monitor_rest(struct monitor *monitor);

/* Lets no more arrivals in if the time for that has come, or if enough has been measured. */
void monitor_close_in_time(const struct monitor *monitor);

/* ------------------------------------------------------------------ the steps of a trial */

/* The gate is open: leads the monitor's trial, whose plan has PACE_LOCKSTEP, to the end of the last
 * release. What the law predicts for all steps is added to *law. Errors are those of watchdog_wait
 * and of setup_session_exists. */
MUST_CHECK enum fleet_end lockstep_lead(struct monitor *monitor, struct tally *law);

/* Below the trial's root: a znode for each lock, and below that what the recipe has laid out. The
 * set-up session makes all requests of the znodes; each function returns its errors, and records
 * what is wrong with the znodes as a violation. */
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

/* Writes why a trial did not end well; "" for a trial that ended well or with a failed verdict. To
 * be called after the last readings. size >= 512. */
void ending_describe(const struct trial_memory *memory, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size);

#endif
