// SPDX-License-Identifier: Apache-2.0
/*
 * shared: the memory that the processes of one fleet share. Layer: fleet.
 *
 * Laid out once, from the plan, before the workers are forked; it lies at the same address in all
 * of them. The coordinator writes the phase and the commands; the workers write everything else,
 * with atomic operations where two of them may meet. What a kind of actor shares besides lies in
 * memory of its own, which shared_map makes.
 *
 * Invariant: after the gate has opened nothing in here grows.
 */
#ifndef FLEET_SHARED_H
#define FLEET_SHARED_H

#include "base/error.h"
#include "client/client.h"
#include "fleet/plan.h"
#include "servers/role.h"

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

/* What an actor is told to do. */
enum fleet_order {
    ORDER_GATE = 1, /* the gate has opened */
    ORDER_REPORT,   /* to the coordinator's inquiry: write down what you do */
    ORDER_READ,     /* take your last readings: the actor hears and does nothing after them */
    ORDER_OWN,      /* from here on: the kind of actor's own */
};

/* The place of a worker: it alone writes here, but for the command. */
struct shared_worker {
    _Alignas(SHARED_CACHE_LINE) _Atomic uint64_t command; /* see shared_tell */
    int wake_descriptor;                                  /* an eventfd */
    _Atomic uint64_t steps;                               /* moves on whenever an actor does */
    _Atomic uint64_t reconnects;
    uint64_t cpu_ns;             /* gate to last reading */
    uint64_t rss_kib;            /* at the last reading */
    _Atomic uint32_t unread;     /* last readings that are not taken yet: see worker.c */
    _Atomic uint32_t unreported; /* reports to the present inquiry that are not made yet */
    struct error error;          /* why the worker ended before its time */
};

/* The place of a session. */
struct shared_session {
    _Atomic bool dead;               /* the actor has ended it, or is about to */
    bool asked;                      /* at the last report: a request waits for its reply */
    bool answered;                   /* at the last report: bytes have come that were not read */
    uint32_t timeout_ms;             /* of the session, as the server granted it */
    uint64_t spoke_ns;               /* see struct actor */
    uint64_t pings;                  /* see struct actor */
    char server[CLIENT_SERVER_SIZE]; /* that it is connected to; kept when it no longer is */
    enum role role;                  /* of that server at the gate: see servers/role.h */
};

struct shared {
    const struct fleet_plan *plan;
    struct shared_worker *workers;
    struct shared_session *sessions;
    size_t size_bytes;
    bool in_steps;                          /* the coordinator is woken when no actor is busy */
    enum role roles[CONNECT_ENDPOINTS_MAX]; /* of the plan's servers at the gate */
    int coordinator_descriptor; /* an eventfd: something that the coordinator waits for may have
                                 happened */

    _Alignas(SHARED_CACHE_LINE) _Atomic int phase;
    _Atomic uint32_t connecting; /* sessions under way, bounded: a server's backlog is short */
    _Atomic uint32_t established;
    _Atomic uint32_t workers_ready; /* have taken their last readings */
    _Atomic uint32_t finished;      /* actors that have nothing more to do */
    _Atomic uint32_t inquiry;       /* how often all actors were given ORDER_REPORT */
    _Atomic uint32_t reported; /* workers whose actors have all reported to the present inquiry */
    _Atomic uint64_t lost; /* sessions that cannot go on: a connection lost, a refused request */
    _Atomic uint32_t first_lost;   /* session +1 */
    _Atomic int first_lost_status; /* enum zk_status */
    _Atomic uint64_t expires_ns;   /* by then the servers have ended all dead sessions */
    /* Connections that sessions lost while the gate was open, or had lost when it opened. */
    _Atomic uint32_t losses;
    /* Actors that are not at rest: the one word here that every wake-up of an actor changes. */
    _Alignas(SHARED_CACHE_LINE) _Atomic int64_t busy;
};

/* Lays out the shared memory of a fleet of this plan, which must outlive it. *shared is the
 * caller's to shared_free. ERROR_NO_MEMORY and those of errno. */
MUST_CHECK enum error_kind shared_new(const struct fleet_plan *plan, struct shared **shared,
                                      struct error *error);

/* NULL is fine. */
void shared_free(struct shared *shared);

/* Memory, all zero, that processes forked later share; what is never touched costs nothing. The
 * caller's to munmap. */
MUST_CHECK enum error_kind shared_map(size_t size_bytes, void **memory, struct error *error);

/* Cuts a block off such memory, at *at, and moves *at behind the block: to a cache line's start. */
void *shared_cut(char **at, size_t size_bytes);

/* What a block takes there. */
size_t shared_round_up(size_t size_bytes);

/* The phase is another from here on; wakes the workers. */
void shared_enter(struct shared *shared, enum fleet_phase phase);

/* Has the session's actor, or with shared_tell_all every actor, carry out one of its kind's
 * own orders. A worker takes one command at a time: the next may be given when the one before is
 * known to be carried out. */
void shared_tell(struct shared *shared, uint32_t session, int order);
void shared_tell_all(struct shared *shared, int order);

/* Has every actor report what it does: `reported` is the plan's processes when all have. Returns
 * false, and asks nobody, while reports to the inquiry before are missing: they would be counted
 * for this one. */
bool shared_inquire(struct shared *shared);

/* The sum of the workers' steps. */
uint64_t shared_steps(const struct shared *shared);

/* Wakes the coordinator if no actor is busy and the fleet is led in steps: to be called after
 * whatever may have brought an actor to rest. */
void shared_tell_rest(struct shared *shared);

/* Sets a time, or another number that only grows and that several may set at once, to this value
 * unless it is higher already. */
void shared_raise(_Atomic uint64_t *highest, uint64_t value);

/* Wakes the coordinator, or a worker; -1, in a simulation: there is nobody to wake. */
void shared_wake(int descriptor);
/* Takes the wake-up back out of an eventfd. */
void shared_woken(int descriptor);

#endif
