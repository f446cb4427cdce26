// SPDX-License-Identifier: Apache-2.0
/*
 * actor: the user of one session of a fleet. Layer: fleet, below worker.
 *
 * A kind of actor is a struct actor_ops, and a structure whose first member is a struct actor. A
 * worker makes the actors, opens a session for each with the kind's listener, and calls their
 * orders and alarms.
 *
 * Invariant: the callbacks of an actor's session, its orders and its alarms all run on one thread
 * (but see thread_session_order).
 */
#ifndef FLEET_ACTOR_H
#define FLEET_ACTOR_H

#include "fleet/shared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct actor;

struct actor_ops {
    size_t size; /* of the kind's structure */
    const struct client_listener *listener;
    /* Sets up an actor that has no client yet; all is zero except its struct actor. kind: of struct
     * fleet. seed: for the actor's random numbers. */
    void (*init)(void *actor, void *kind, uint64_t seed);
    /* One of enum fleet_order, or from ORDER_OWN on one of the kind's own; also called when the
     * session is dead. */
    void (*order)(void *actor, int order);
    /* The actor's alarm rings, late_ns after its time. */
    void (*alarm)(void *actor, uint64_t late_ns);
};

struct actor {
    struct shared *shared;
    struct shared_worker *worker; /* the place of the actor's worker */
    const struct actor_ops *ops;
    void (*set_alarm)(void *timers, uint64_t due_ns, struct actor *actor);
    void *timers; /* of set_alarm */
    struct client *client;
    uint32_t session;  /* from 0 */
    uint32_t number;   /* of the session among those of all hosts */
    enum role role;    /* of the session's server */
    uint64_t spoke_ns; /* when the session began to open, or made its last answered request */
    uint64_t pings;    /* the most pings that the session can have sent before spoke_ns */
    bool established;  /* the session was established at least once */
    bool apart;        /* the session has lost its connection, and has no new one yet */
    bool in_run;       /* the gate has opened */
};

/* Sets the actor's only alarm. due_ns is of client_now_ns. An alarm cannot be taken back. */
static inline void actor_set_alarm(struct actor *actor, uint64_t due_ns)
{
    actor->set_alarm(actor->timers, due_ns, actor);
}

/* To be called at ORDER_GATE: from here on losses of the connection count. */
void actor_pass_gate(struct actor *actor);

/* To be called when the session's state changes: counts established sessions, losses of the
 * connection, and reconnects. An expired session is left to the kind of actor. */
void actor_state_changed(struct actor *actor, enum client_state state);

/* To be called at the reply to the session's last request: counts the pings that the session can
 * have sent between that request and the one before. */
void actor_spoke(struct actor *actor);

/* The session cannot go on, or the actor has nothing more to do: each to be called once. */
void actor_lose(const struct actor *actor, enum zk_status status);
void actor_finish(const struct actor *actor);

/* Writes the state of the session to its place in the shared memory. */
void actor_report(const struct actor *actor);

/* The actor has made progress. */
static inline void actor_step(const struct actor *actor)
{
    atomic_fetch_add(&actor->worker->steps, 1);
}

static inline struct shared_session *actor_place(const struct actor *actor)
{
    return &actor->shared->sessions[actor->session];
}

#endif
