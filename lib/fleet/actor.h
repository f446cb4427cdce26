// SPDX-License-Identifier: Apache-2.0
/*
 * actor: what does something with one session of a fleet, and what every kind of actor has. Layer:
 * fleet, below worker.
 *
 * A kind of actor is a struct actor_ops, and a structure with a struct actor at its head. A worker
 * makes the actors, opens a session for each, and brings them orders and alarms. What an actor is
 * to do otherwise it learns from its session, whose listener is the kind's own.
 *
 * Invariant: an actor lives on one thread: its session's callbacks, its orders and its alarms are
 * all called there (but see thread_session_order).
 */
#ifndef FLEET_ACTOR_H
#define FLEET_ACTOR_H

#include "client/client.h"
#include "fleet/shared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct actor;

struct actor_ops {
    size_t size; /* of the kind's structure */
    const struct client_listener *listener;
    /* Sets up an actor that is all zero but for its head, and has no client yet. kind: what is the
     * same for all actors of the fleet. seed: of what the actor draws. */
    void (*init)(void *actor, void *kind, uint64_t seed);
    /* One of enum fleet_order, or of the kind's own from ORDER_OWN on. A dead session's actor is
     * told, too. */
    void (*order)(void *actor, int order);
    /* The alarm that the actor set has rung, late_ns behind its time. */
    void (*alarm)(void *actor, uint64_t late_ns);
};

/* How alarms are set: see actor_set_alarm. */
struct actor_timer {
    void (*set)(void *context, uint64_t due_ns, struct actor *actor);
    void *context;
};

struct actor {
    struct shared *shared;
    struct shared_worker *worker; /* the place of the worker that it lives in */
    const struct actor_ops *ops;
    struct actor_timer timer;
    struct client *client;
    uint32_t session;  /* from 0 */
    enum role role;    /* of the session's server */
    uint64_t spoke_ns; /* when the session began to open, or made its last request */
    uint64_t pings;    /* the most that it can have sent before that */
    bool established;  /* the session has been, once */
    bool apart;        /* it has lost its connection, and has none yet in its place */
    bool in_run;       /* the gate has opened */
};

/* Sets the actor's only alarm, at a time of the session's world. An alarm cannot be taken back. */
void actor_set_alarm(struct actor *actor, uint64_t due_ns);

/* The gate has opened: losses of the connection count from here on. */
void actor_pass_gate(struct actor *actor);

/* The session's state is another: counts it among those that are established, that lost their
 * connection, and that have another one. An expired session is for the kind of actor to see to. */
void actor_state_changed(struct actor *actor, enum client_state state);

/* The reply has come to the session's last request: counts what pings there can have been in the
 * silence before that. */
void actor_spoke(struct actor *actor);

/* The session cannot go on, for this reason; to be called once. */
void actor_lose(const struct actor *actor, enum zk_status status);

/* The actor has nothing more to do. */
void actor_finish(const struct actor *actor);

/* Writes what is known of the session to its place in the shared memory. */
void actor_report(const struct actor *actor);

/* Something has moved on. */
static inline void actor_step(const struct actor *actor)
{
    atomic_fetch_add(&actor->worker->steps, 1);
}

/* The place of the actor's session in the shared memory. */
static inline struct shared_session *actor_place(const struct actor *actor)
{
    return &actor->shared->sessions[actor->session];
}

#endif
