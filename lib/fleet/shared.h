// SPDX-License-Identifier: Apache-2.0
/*
 * shared: the memory that the processes of one fleet share. Layer: fleet.
 *
 * The memory is laid out once, before the workers are forked, and is at the same address in all of
 * them. The coordinator writes the phase and the commands; the workers write everything else, with
 * atomic operations where two writers may meet. A kind of actor lays out memory of its own.
 *
 * Invariant: after the gate has opened nothing here grows.
 */
#ifndef FLEET_SHARED_H
#define FLEET_SHARED_H

#include "base/error.h"
#include "client/client.h"
#include "fleet/fleet_plan.h"
#include "servers/four_letter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED_CACHE_LINE 64

enum fleet_phase {
    PHASE_CONNECT,  /* sessions open */
    PHASE_RUN,      /* the gate is open */
    PHASE_MEASURED, /* workers take their last readings */
    PHASE_CLOSE,    /* workers end their sessions, and themselves */
};

enum fleet_order {
    ORDER_GATE = 1, /* the gate has opened */
    ORDER_REPORT,   /* for the coordinator's inquiry: write a report */
    ORDER_READ,     /* for its last inquiry: the same, and do nothing after it */
    ORDER_OWN,      /* from here on: the orders of a kind of actor */
};

/* The place of a worker. Only the worker writes here, except the command. */
struct shared_worker {
    _Alignas(SHARED_CACHE_LINE) _Atomic uint64_t command; /* see shared_order */
    int wake_descriptor;                                  /* an eventfd */
    _Atomic uint64_t steps;                               /* actor_step */
    _Atomic uint64_t reconnects;
    _Atomic uint64_t absent_ns;  /* the longest that a turn of the worker lasted beyond its limit */
    uint64_t cpu_ns;             /* from the gate to the last reading */
    uint64_t rss_kib;            /* at the last reading */
    _Atomic uint32_t unreported; /* reports to the present inquiry that are not written yet */
    struct error error;          /* why the worker ended too early */
};

/* The place of a session. */
struct shared_session {
    _Atomic bool dead;               /* the actor has ended the session, or is about to */
    bool asked;                      /* at the last report: a request waits for its reply */
    bool answered;                   /* at the last report: the socket has unread bytes */
    uint32_t timeout_ms;             /* of the session, as the server granted it */
    int64_t id;                      /* the servers' number of the session */
    uint64_t spoke_ns;               /* see struct actor */
    uint64_t pings;                  /* see struct actor */
    char server[CLIENT_SERVER_SIZE]; /* client_server, of the present or the last connection */
    enum role role;                  /* of the session's server: see servers/four_letter.h */
};

struct shared {
    const struct fleet_plan *plan;
    struct shared_worker *workers;
    struct shared_session *sessions;
    size_t size_bytes;
    bool in_steps;                          /* the coordinator is woken when no actor is busy */
    enum role roles[CONNECT_ENDPOINTS_MAX]; /* of the plan's servers at the gate */
    int coordinator_descriptor;             /* an eventfd */

    _Alignas(SHARED_CACHE_LINE) _Atomic int phase;
    _Atomic uint32_t connecting; /* sessions; bounded because a server's backlog is short */
    _Atomic uint32_t established;
    _Atomic uint32_t finished;   /* actors that have nothing more to do */
    _Atomic uint32_t inquiry;    /* the number of inquiries */
    _Atomic uint32_t reported;   /* workers whose actors have all reported to the present inquiry */
    _Atomic uint64_t lost;       /* sessions that cannot go on */
    _Atomic uint32_t first_lost; /* session +1 */
    _Atomic int first_lost_status; /* enum zk_status */
    _Atomic uint64_t expires_ns;   /* by then the servers have ended all dead sessions */
    /* Connections that sessions lost after the gate opened, or had lost when it opened. */
    _Atomic uint32_t losses;
    /* Actors that are not at rest. Changes most often, so it has a cache line of its own. */
    _Alignas(SHARED_CACHE_LINE) _Atomic int64_t busy;
};

/* Lays out the shared memory of a fleet. The plan must outlive it. *shared is the caller's to
 * shared_free. ERROR_NO_MEMORY, or the operating system's. */
MUST_CHECK enum error_kind shared_new(const struct fleet_plan *plan, struct shared **shared,
                                      struct error *error);

/* NULL is fine. */
void shared_free(struct shared *shared);

/* Memory of several blocks, all zero, which one function lays out: it takes each block, and is
 * called twice. At first the base is NULL, and what it takes is NULL but is counted: so it writes
 * to nothing. Then shared_layout_map maps as many bytes, to be shared with processes forked later,
 * and it takes the same blocks again. A structure whose members are blocks is filled in as a whole,
 * where its own block is not NULL. */
struct shared_layout {
    char *base;
    size_t size_bytes; /* taken so far */
};

/* The next block, from the start of a cache line; NULL as long as there is no base. */
void *shared_reserve(struct shared_layout *layout, size_t size_bytes);

/* Maps the memory that was counted, the caller's to munmap, and begins again. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind shared_layout_map(struct shared_layout *layout, struct error *error);

/* Begins a phase, and wakes the workers. */
void shared_enter(struct shared *shared, enum fleet_phase phase);

/* Gives the session's actor, or with shared_order_all every actor, one of its kind's own orders. A
 * worker takes one command at a time: give the next only when the one before was carried out. */
void shared_order(struct shared *shared, uint32_t session, int order);
void shared_order_all(struct shared *shared, int order);

/* Whether every worker has taken the last command that was given to it: one that does not run may
 * not have, and another command would replace that one. */
bool shared_have_taken(const struct shared *shared);

/* Has every actor report what it does; last: with the phase PHASE_MEASURED, in which it does
 * nothing more. Returns false, and asks none, while reports to the inquiry before are missing: they
 * would be counted for this one. */
bool shared_inquire(struct shared *shared, bool last);

/* Whether all actors have reported to the present inquiry. */
bool shared_has_reports(const struct shared *shared);

uint64_t shared_steps(const struct shared *shared);

/* The longest that any worker did not run, by absent_ns, since this was last asked: less than that
 * by one turn of a worker at most. It is noted when the worker runs again. Always 0 in a
 * simulation. */
uint64_t shared_absence_ns(struct shared *shared);

/* Wakes the coordinator if the fleet runs in steps and no actor is busy. To be called after
 * anything that may have brought an actor to rest. */
void shared_check_rest(struct shared *shared);

/* The most pings of a session in a time without requests; and of all sessions until now_ns, by
 * their last reports. Neither is ever too small.
 *
 * The client library sends pings by itself, and the servers count them as reads. But it follows a
 * rule (zookeeper_interest in its zookeeper.c): it sends one when it has sent nothing for a third
 * of the session's timeout and no request waits for its reply. So a silent session sends at most
 * one ping for each third of its timeout. */
uint64_t pings_most(uint64_t silence_ns, uint32_t timeout_ms);
uint64_t shared_pings_most(const struct shared *shared, uint64_t now_ns);

/* Raises a number to this value, unless it is higher already. */
void shared_raise(_Atomic uint64_t *highest, uint64_t value);

/* Wakes the process that waits for an eventfd, and resets it then; -1, in a simulation, is fine. */
void shared_wake(int descriptor);
void shared_woken(int descriptor);

#endif
